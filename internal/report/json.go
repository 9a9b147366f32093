package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"labctl/internal/journal"
)

// document is result.json: a Result that says what it is.
type document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	journal.Result
}

// JSON returns result.json, as docs/formats.md has it. Lists that every reader
// walks are empty, never null.
func JSON(r journal.Result) ([]byte, error) {
	if r.Run.Nodes == nil {
		r.Run.Nodes = []journal.Node{}
	}
	r.Plans = slices.Clone(r.Plans)
	if r.Plans == nil {
		r.Plans = []journal.PlanResult{}
	}
	for i := range r.Plans {
		if r.Plans[i].Steps == nil {
			r.Plans[i].Steps = []journal.StepResult{}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it is a file, and read with grep as well
	e.SetIndent("", "  ")
	if err := e.Encode(document{APIVersion: "labctl/v1", Kind: "Result", Result: r}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

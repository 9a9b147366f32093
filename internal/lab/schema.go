package lab

import (
	"bytes"
	"encoding/json"
	"fmt"

	"labctl/internal/strictyaml"
	"labctl/topology"
)

// Schema describes lab files as JSON Schema 2020-12, for editors: what the types
// that Parse decodes say, and no more. What Parse finds by looking at several
// places at once, such as a variable that nothing defines, it cannot tell.
func Schema() []byte {
	root := strictyaml.Schema("Lab", file{})
	root["title"] = "A lab of labctl"
	names := []any{}
	for _, name := range topology.Names() {
		names = append(names, name)
	}
	root["properties"].(map[string]any)["topology"].(map[string]any)["enum"] = names
	withoutActions(root["$defs"].(map[string]any)["step"].(map[string]any))

	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(fmt.Sprintf("lab: writing the schema: %s", err)) // a tree of maps, slices and scalars
	}
	return b.Bytes()
}

// withoutActions leaves out what steps of provisioning plans have and those of
// labs have not.
func withoutActions(step map[string]any) {
	delete(step["properties"].(map[string]any), "do")
	kept := []any{}
	for _, a := range step["oneOf"].([]any) {
		if a.(map[string]any)["required"].([]any)[0] != "do" {
			kept = append(kept, a)
		}
	}
	step["oneOf"] = kept
}

package report_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/report"
)

// TestJSON lets jq read each document, and ask it what scripts ask.
func TestJSON(t *testing.T) {
	for kind, r := range results() {
		t.Run(kind, func(t *testing.T) {
			content, err := report.JSON(r)
			require.NoError(t, err)
			pipe(t, content, "jq", "-e", `.apiVersion == "labctl/v1" and .kind == "Result" and
				(.plans | type) == "array" and all(.plans[]; .steps | type == "array") and (.run.nodes | type) == "array" and
				(.seconds | type) == "number" and (.complete | type) == "boolean" and (.exitCode | type) == "number"`)
		})
	}
	content, err := report.JSON(realistic())
	require.NoError(t, err)
	for query, want := range map[string]string{
		`[.claims[] | select(.verdict == "wrong") | .id] | join(" ")`:                                                        "A31\n",
		`[.plans[].steps[] | select(.verdict == "fail" or .verdict == "error") | .id] | join(" ")`:                           "step-06 step-07\n",
		`.restore | "\(.verdict) by \(.by): \(.left.teardown | map(.section) | join(", "))"`:                                 "restored by repair: sysctl, iptables, configmap kube-proxy\n",
		`.plans[0].steps[2].attempts | group_by(.node) | map({node: .[0].node, tries: length}) | .[] | "\(.node) \(.tries)"`: "cp 1\nworker 3\n",
	} {
		assert.Equal(t, want, pipe(t, content, "jq", "-r", "-e", query), query)
	}
}

// TestJSONLosesNothing: a result can be read back, so that the other reports can
// be made from it.
func TestJSONLosesNothing(t *testing.T) {
	for _, r := range []journal.Result{realistic(), interrupted(), killed()} {
		content, err := report.JSON(r)
		require.NoError(t, err)
		var back journal.Result
		require.NoError(t, json.Unmarshal(content, &back))
		assert.Equal(t, r, back)
	}
}

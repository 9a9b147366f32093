package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChart(t *testing.T) {
	const head = "apiVersion: labctl/v1\nkind: Plan\nname: p\nsteps:\n  - {id: a, title: On the wire, "
	for _, c := range []struct{ step, title, err string }{
		{`on: cp, run: tcpdump, chart: true`, "On the wire", ""},
		{`on: cp, run: tcpdump, chart: {title: The reset}`, "The reset", ""},
		{`on: cp, run: tcpdump`, "", ""},
		{`on: cp, run: tcpdump, chart: false`, "", `p.yaml:5:62: "chart" is true, or has a title: leave it out`},
		{`on: cp, run: tcpdump, chart: {}`, "", `"chart" is empty: write true, or title`},
		{`on: cp, run: tcpdump, chart: {title: " "}`, "", `"title" is empty: write "chart: true", and it has the step's`},
		{`on: cp, run: tcpdump, chart: {titel: x}`, "", `unknown key "titel"`},
		{`do: network, chart: true`, "", `step "a": "chart" does not belong here: this is an action`},
	} {
		p, err := Parse("p.yaml", []byte(head+c.step+"}\n"))
		switch {
		case c.err != "":
			require.ErrorContains(t, err, c.err, c.step)
		case c.title == "":
			require.NoError(t, err, c.step)
			assert.Nil(t, p.Steps[0].Chart)
		default:
			require.NoError(t, err, c.step)
			assert.Equal(t, &Chart{Title: c.title}, p.Steps[0].Chart)
		}
	}
}

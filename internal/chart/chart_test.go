package chart

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test ./internal/chart -update rewrites %s", path)
}

// recorded is what tcpdump printed on both nodes of a real exchange: a client's
// Pod on cp, a server's on worker, a Service's address that cp rewrites.
func recorded(t *testing.T, name string) []Source {
	t.Helper()
	var all []Source
	for _, node := range []string{"cp", "worker"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+"."+node+".txt"))
		require.NoError(t, err)
		all = append(all, Source{Node: node, Text: string(text)})
	}
	return all
}

// model tells what a chart says, without drawing it.
func model(c Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", c.Title, c.Summary)
	for i, l := range c.Lifelines {
		fmt.Fprintf(&b, "%d %s (%s) node %t\n", i, l.Name, l.Detail, l.Node)
	}
	for _, r := range c.Rows {
		if r.Left > 0 {
			fmt.Fprintf(&b, "left out: %d\n", r.Left)
			continue
		}
		fmt.Fprintf(&b, "%s %s %s", when(r.Time), r.name(), r.numbers())
		if r.Times > 0 {
			b.WriteString(r.Words)
		}
		if r.Reset {
			b.WriteString(" [reset]")
		}
		b.WriteByte('\n')
		for _, s := range r.Segments {
			fmt.Fprintf(&b, "  %d>%d", s.From, s.To)
			if s.Source.IsValid() {
				fmt.Fprintf(&b, " %s > %s", s.Source, s.Destination)
			}
			for _, flag := range []struct {
				set  bool
				word string
			}{{s.SourceChanged, "source rewritten"}, {s.DestinationChanged, "destination rewritten"}, {s.NotRewritten, "NOT REWRITTEN"}, {s.Dropped, "DROPPED"}, {s.Unseen, "UNSEEN"}} {
				if flag.set {
					b.WriteString(" [" + flag.word + "]")
				}
			}
			b.WriteByte('\n')
		}
		for _, m := range r.Remarks {
			fmt.Fprintf(&b, "  remark %t: %s\n", m.Bad, m.Text)
		}
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func TestRecorded(t *testing.T) {
	for name, title := range map[string]string{"plain": "A plain connection", "reset": "The reset", "pair": "The reset, on a pair", "several": "Two connections", "arp": "Who answers"} {
		c := New(title, recorded(t, name))
		golden(t, name+".model", model(c))
		golden(t, name+".svg", c.SVG())
		golden(t, name+".chart", c.Text())
	}
}

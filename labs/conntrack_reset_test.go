package labs

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/plan"
	"labctl/internal/remote"
)

// conntrackVars are what earlier steps captured when the samples were taken.
var conntrackVars = map[string]string{
	"W": "worker", "CIP": "10.103.4.87", "POD": "10.244.1.3",
	"CLIENT": "10.244.0.4", "SVC": "KUBE-SVC-L6OKMBJ2BZMSJIBJ",
}

// sample is one variant of a step's output.
type sample struct {
	outputs map[string]*remote.Output
	want    string
}

func (s *sample) of(node string) *remote.Output {
	if s.outputs[node] == nil {
		s.outputs[node] = &remote.Output{}
	}
	return s.outputs[node]
}

func conntrackSamples(t *testing.T) map[string]*sample {
	a, err := txtar.ParseFile("testdata/conntrack-reset.txtar")
	require.NoError(t, err)
	samples := map[string]*sample{}
	for _, f := range a.Files {
		step, rest, _ := strings.Cut(f.Name, "/")
		variant, rest, _ := strings.Cut(rest, "/")
		key := path.Join(step, variant)
		s := samples[key]
		if s == nil {
			s = &sample{outputs: map[string]*remote.Output{}}
			samples[key] = s
		}
		node, stream, _ := strings.Cut(rest, "/")
		switch {
		case node == "want":
			s.want = string(f.Data)
		case stream == "stdout":
			s.of(node).Stdout = f.Data
		case stream == "stderr":
			s.of(node).Stderr = f.Data
		default:
			require.Equal(t, "exit", stream, f.Name)
			code, err := strconv.Atoi(strings.TrimSpace(string(f.Data)))
			require.NoError(t, err)
			s.of(node).Exit = code
		}
	}
	return samples
}

// The variant writeup passes where a cluster could be as the write-up has it; the
// claims then hold. Claims of a step whose exit code is wrong fail with it, so the
// want of such a variant is made of both.
func TestConntrackResetTellsWhatIsFromWhatIsSaid(t *testing.T) {
	l, err := Open("conntrack-reset")
	require.NoError(t, err)
	steps := map[string]plan.Step{}
	for _, s := range allSteps(l) {
		steps[s.ID] = s
	}
	samples := conntrackSamples(t)
	for _, key := range slices.Sorted(maps.Keys(samples)) {
		t.Run(key, func(t *testing.T) {
			s, ok := steps[path.Dir(key)]
			require.True(t, ok)
			outcomes := map[string]plan.Outcome{}
			for node, out := range samples[key].outputs {
				outcomes[node] = s.Judge(node, *out, conntrackVars)
			}
			verdict, _, claims := plan.JudgeNodes(s, outcomes)
			got := verdict.String() + "\n"
			for _, c := range s.Claims {
				got += c.ID + " " + string(claims[c.ID]) + "\n"
			}
			assert.Equal(t, samples[key].want, got)
		})
	}
}

// Each claim that a step judges has a sample in which it comes out as it is known
// to, and one in which it is neither.
func TestConntrackResetHasASampleForEveryClaim(t *testing.T) {
	l, err := Open("conntrack-reset")
	require.NoError(t, err)
	samples := conntrackSamples(t)
	for _, s := range allSteps(l) {
		for _, c := range s.Claims {
			known, failed := false, false
			want := plan.Holds
			if c.Otherwise != "" {
				want = c.Otherwise
			}
			for key, sample := range samples {
				if path.Dir(key) == s.ID {
					known = known || strings.Contains(sample.want, c.ID+" "+string(want)+"\n") && slices.Contains([]string{"pair", "known"}, path.Base(key))
					failed = failed || strings.Contains(sample.want, c.ID+" "+string(plan.Contested)+"\n")
				}
			}
			assert.True(t, known, "%s: %s as the pair has it", s.ID, c.ID)
			assert.True(t, failed, "%s: %s in neither way", s.ID, c.ID)
		}
	}
}

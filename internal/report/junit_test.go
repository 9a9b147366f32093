package report_test

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
	"labctl/internal/report"
)

// junit is what a reader makes of the document; it shares nothing with the writer.
type junit struct {
	counts
	Suites []struct {
		counts
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string   `xml:"name,attr"`
			Time    string   `xml:"time,attr"`
			Failure *outcome `xml:"failure"`
			Error   *outcome `xml:"error"`
			Skipped *outcome `xml:"skipped"`
			Out     string   `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func read(t *testing.T, r journal.Result) junit {
	t.Helper()
	content, err := report.JUnit(r)
	require.NoError(t, err)
	var d junit
	require.NoError(t, xml.Unmarshal(content, &d))
	return d
}

// TestJUnitSchema lets a parser of another make read each document, and compare
// it with a schema.
func TestJUnitSchema(t *testing.T) {
	for kind, r := range results() {
		t.Run(kind, func(t *testing.T) {
			content, err := report.JUnit(r)
			require.NoError(t, err)
			pipe(t, content, "xmllint", "--noout", "--nonet", "--schema", "testdata/junit.xsd", "-")
		})
	}
}

// TestJUnitSchemaRefuses: a schema that lets everything through proves nothing.
func TestJUnitSchemaRefuses(t *testing.T) {
	content, err := report.JUnit(realistic())
	require.NoError(t, err)
	for name, broken := range map[string]string{
		"a time in words":       strings.Replace(string(content), `time="3.214"`, `time="3.2s"`, 1),
		"thousands":             strings.Replace(string(content), `time="3.214"`, `time="1,003.214"`, 1),
		"a case twice":          strings.Replace(string(content), `name="step-02"`, `name="step-01"`, 1),
		"an attribute":          strings.Replace(string(content), `<testcase `, `<testcase status="run" `, 1),
		"a failure and a skip":  strings.Replace(string(content), `<failure `, `<skipped message=""></skipped><failure `, 1),
		"a control character":   strings.Replace(string(content), `INVALID`, "\x1b", 1),
		"an element of no kind": strings.Replace(string(content), `<properties>`, `<properties><b></b>`, 1),
	} {
		require.NotEqual(t, string(content), broken, name)
		_, err := try(t, []byte(broken), "xmllint", "--noout", "--schema", "testdata/junit.xsd", "-")
		assert.Error(t, err, name)
	}
}

// TestJUnitSums: what the heads say is what the cases are.
func TestJUnitSums(t *testing.T) {
	for kind, r := range results() {
		t.Run(kind, func(t *testing.T) {
			d := read(t, r)
			var all counts
			var whole float64
			for _, s := range d.Suites {
				var c counts
				sum := 0.0
				for _, one := range s.Cases {
					c.Tests++
					if one.Failure != nil {
						c.Failures++
					}
					if one.Error != nil {
						c.Errors++
					}
					if one.Skipped != nil {
						c.Skipped++
					}
					sum += number(t, one.Time)
				}
				assert.InDelta(t, sum, number(t, s.Time), 1e-6, s.Name)
				whole += sum
				c.Time = s.Time
				assert.Equal(t, c, s.counts, s.Name)
				all.Tests, all.Failures, all.Errors = all.Tests+c.Tests, all.Failures+c.Failures, all.Errors+c.Errors
			}
			assert.InDelta(t, whole, number(t, d.Time), 1e-6)
			all.Time = d.Time
			assert.Equal(t, all, d.counts)
		})
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	require.False(t, math.Signbit(f))
	return f
}

// verdicts is "suite/case outcome" of all cases.
func verdicts(d junit) []string {
	var all []string
	for _, s := range d.Suites {
		for _, c := range s.Cases {
			v := "pass"
			switch {
			case c.Failure != nil:
				v = "failure"
			case c.Error != nil:
				v = "error"
			case c.Skipped != nil:
				v = "skipped"
			}
			all = append(all, s.Name+"/"+c.Name+" "+v)
		}
	}
	return all
}

func TestJUnitVerdicts(t *testing.T) {
	assert.Equal(t, []string{
		"steps/step-01 pass", "steps/step-02 pass", "steps/step-03 pass", "steps/step-04 pass", "steps/step-05 pass",
		"steps/step-06 failure", "steps/step-07 error", "steps/step-08 skipped", "steps/step-09 skipped",
		"teardown/teardown-01 pass", "teardown/teardown-02 pass", "repair/repair-01 pass",
		"claims/A57 pass", "claims/A12 pass", "claims/A31 pass", "claims/A77 pass", "claims/A76 failure", "claims/A80 error",
		"claims/A18 skipped", "claims/A09 skipped", "claims/A81 skipped",
		"restore/restored pass",
	}, verdicts(read(t, realistic())))
	assert.Equal(t, []string{"run/run error", "restore/restored skipped"}, verdicts(read(t, unloaded())), "there is always a report")
	assert.Equal(t, "run/run error", verdicts(read(t, interrupted()))[0])
	assert.Equal(t, "run/run error", verdicts(read(t, killed()))[0])
	assert.Contains(t, verdicts(read(t, killed())), "steps/step-05 error", "it was started and has no verdict")
}

func TestJUnitRestore(t *testing.T) {
	for _, c := range []struct {
		restore journal.Restore
		want    string
	}{
		{journal.Restore{Verdict: journal.Restored, By: journal.AfterTeardown}, "pass"},
		{journal.Restore{Verdict: journal.NotRestored}, "failure"},
		{journal.Restore{Verdict: journal.Kept}, "skipped"},
		{journal.Restore{Verdict: journal.NotCompared}, "skipped"},
		{journal.Restore{Verdict: journal.NotCompared, Error: "connection lost"}, "error"},
		{journal.Restore{}, "skipped"},
		{journal.Restore{Verdict: "half"}, "error"},
	} {
		assert.Equal(t, []string{"restore/restored " + c.want}, verdicts(read(t, journal.Result{Complete: true, Restore: c.restore})), "%v", c.restore)
	}
	r := journal.Result{Complete: true, Restore: journal.Restore{Verdict: journal.NotRestored, Left: map[journal.Stage][]journal.Difference{
		journal.AfterCheckpoint: {{Node: "cp", Section: "sysctl", Missing: []string{"a = 0"}, Extra: []string{"a = 1"}}},
	}}}
	text := read(t, r).Suites[0].Cases[0].Failure.Text
	assert.Contains(t, text, "after reverting to the checkpoint:\ncp, sysctl:\n- a = 0\n+ a = 1\n")
}

// TestJUnitFailure: what one needs to know without the machine that made it.
func TestJUnitFailure(t *testing.T) {
	for _, c := range read(t, realistic()).Suites[0].Cases {
		if c.Name != "step-06" {
			continue
		}
		assert.Equal(t, "Look for the rule once more: on cp: claim A76: what it says, or what is known instead; got: neither", c.Failure.Message)
		for _, want := range []string{
			"hint: see: labctl ssh cp", "on cp: fail", "  $   grep KUBE-FORWARD", "  | -A FORWARD -j KUBE-FORWARD", "  ! # Warning",
			"  exit 0 after 2.8 s", "got: neither", "at: lab.yaml:88:9", "claim A76: what it says: fail; what is known instead: fail", "fail  stdout is empty",
		} {
			assert.Contains(t, c.Failure.Text, want)
		}
		return
	}
	t.Fatal("no step-06")
}

// TestJUnitHostile: of a long stream the beginning and the end, of many attempts
// the first and the last.
func TestJUnitHostile(t *testing.T) {
	text := read(t, hostile()).Suites[1].Cases[0].Failure.Text
	for _, want := range []string{`\x1b[31mred`, `nul \x00 text \x00 \xff ]]> <![CDATA[`, `\u202egnisrever`, `\ufffe bad \xff\xfe |`, "bytes left out …", "attempt 2000 of 2000", "… 1989 attempts left out …", "attempt 1999: fail"} {
		assert.Contains(t, text, want)
	}
}

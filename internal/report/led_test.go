package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"labctl/internal/journal"
)

// ledRun is a run whose instructor mended one step, accepted another, and ended it.
func ledRun() journal.Result {
	r := realistic()
	r.Run.Led = true
	mended, accepted := &r.Plans[0].Steps[3], &r.Plans[0].Steps[5]
	first := mended.Attempts[0]
	first.Verdict, first.Exit, first.Stdout = "fail", 1, ""
	first.Checks = []journal.CheckResult{{Verdict: "fail", Want: "exit code 0", Got: "exit code 1"}}
	again := first
	again.Run = 2
	last := mended.Attempts[0]
	last.Run = 3
	mended.Attempts, mended.Runs = []journal.Attempt{first, again, last}, 3
	accepted.Accepted = true
	mended.Accepted = true // and then run again
	r.Led = &journal.LedResult{Acts: []journal.LedAct{
		{Act: journal.LedRunOn, Step: "step-04", At: 2},
		{Act: journal.LedShell, Step: "step-04", Node: "worker", Seconds: 83.4, At: 90},
		{Act: journal.LedAgain, Step: "step-04", At: 91}, {Act: journal.LedAgain, Step: "step-04", At: 95},
		{Act: journal.LedSkip, Step: "step-08", At: 130},
		{Act: journal.LedShell, Step: "step-06", Node: "cp", Error: "connection lost", At: 140},
		{Act: journal.LedAccept, Step: "step-06", At: 141},
		{Act: journal.LedRunOn, At: 142},
		{Act: journal.LedEnd, Step: "step-09", At: 150},
	}}
	return r
}

const ledWords = "ran on to step-04, shell on worker at step-04 for 83.4 s, ran step-04 again (2 times), skipped step-08, " +
	"shell on cp at step-06 for 0.0 s (connection lost), accepted step-06, ran on to the end, ended before step-09"

func TestLedRunInReports(t *testing.T) {
	made := printers(t)
	inLine := func(name string) string {
		return strings.Join(strings.Fields(string(made[name](ledRun()))), " ")
	}
	assert.Contains(t, inLine("console.txt"), "instructor: "+ledWords)
	assert.Contains(t, inLine("console.txt"), " step-06: accepted by the instructor; ")
	assert.NotContains(t, inLine("console.txt"), "step-04: accepted", "it passed in the end")
	assert.Contains(t, inLine("report.md"), "| instructor | "+ledWords[:60])
	assert.Contains(t, inLine("report.md"), "accepted by the instructor; ")
	assert.Contains(t, inLine("report.html"), "<dt>instructor</dt><dd>"+ledWords)
	assert.Contains(t, inLine("report.html"), "<td>1 of run 2</td>")
	assert.Contains(t, inLine("junit.xml"), `<property name="instructor" value="ran on to step-04`)
	assert.NotContains(t, string(made["console.txt"](realistic())), "instructor")
}

func TestLedInWords(t *testing.T) {
	made := printers(t)
	for want, acts := range map[string][]journal.LedAct{
		"instructor: ran one step after another\n":                             nil,
		"instructor: ended when all steps were through\n":                      {{Act: journal.LedEnd}},
		"instructor: ended before x and kept the cluster\n":                    {{Act: journal.LedKeep, Step: "x"}},
		"instructor: ended when all steps were through and kept the cluster\n": {{Act: journal.LedKeep}},
		"instructor: the input ended before x\n":                               {{Act: journal.LedNobody, Step: "x"}},
		"instructor: waved\n":                                                  {{Act: "waved"}},
	} {
		r := realistic()
		r.Led = &journal.LedResult{Acts: acts}
		assert.Contains(t, string(made["console.txt"](r)), want)
	}
}

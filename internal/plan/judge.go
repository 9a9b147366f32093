package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"labctl/internal/remote"
)

// Outcome is what one attempt on one node comes to.
type Outcome struct {
	Verdict Verdict
	// Results of the step's checks, of the implied exit code 0, and of the
	// captures that found nothing.
	Results []Result
	// Captured holds what the step's captures found.
	Captured map[string]string
}

// Judge judges one attempt on one node.
func (s Step) Judge(out remote.Output) Outcome {
	o := Outcome{Verdict: Pass, Captured: map[string]string{}}
	add := func(r Result) {
		o.Results = append(o.Results, r)
		o.Verdict = o.Verdict.Worse(r.Verdict)
	}
	ran := commandRan(out)
	exitChecked := false
	for _, c := range s.Checks {
		if c.Exit != nil {
			exitChecked = true
			// A step that asks for 126 or 127 wants to see that it cannot run.
			ran = ran || !out.TimedOut && *c.Exit == out.Exit
		}
	}
	if !exitChecked {
		zero := 0
		add(Check{Exit: &zero, Pos: s.Pos}.Judge(out))
	}
	for _, c := range s.Checks {
		add(c.judge(out, ran))
	}
	text := Normalise(string(out.Stdout))
	for _, name := range slices.Sorted(maps.Keys(s.Capture)) {
		value, ok := s.Capture[name].find(text)
		if ok {
			o.Captured[name] = value
			continue
		}
		add(Result{
			Verdict: Fail,
			Want:    fmt.Sprintf("stdout matches /%s/, to capture %s", s.Capture[name].Expression(), name),
			Got:     shorten(text),
			Pos:     s.Pos,
		})
	}
	return o
}

// find returns the first group, or the whole match if there is no group.
func (p Pattern) find(text string) (string, bool) {
	m := p.FindStringSubmatchIndex(text)
	if m == nil || m[len(m)-2] < 0 {
		return "", false
	}
	if len(m) > 2 {
		m = m[2:4]
	}
	return text[m[0]:m[1]], true
}

// Judge judges one check by the output alone.
func (c Check) Judge(out remote.Output) Result { return c.judge(out, commandRan(out)) }

// commandRan says that the script's command was found, could be executed and
// came to its end. Else its silence proves nothing.
func commandRan(out remote.Output) bool {
	return !out.TimedOut && out.Exit != 126 && out.Exit != 127
}

func (c Check) judge(out remote.Output, ran bool) Result {
	if c.Exit != nil {
		return c.judgeExit(out)
	}
	t, name, text := c.stream(out)
	text = Normalise(text)
	want, holds, negative := t.holds(text)
	r := Result{Verdict: Fail, Want: name + " " + want, Got: shorten(text), Pos: c.Pos}
	switch {
	case negative && !ran:
		r.Verdict = Error
		r.Got = "the command did not run: " + ending(out)
	case out.Dropped > 0 && holds == negative:
		// What was dropped may hold the opposite.
		r.Verdict = Error
		r.Got = fmt.Sprintf("%d bytes of output were dropped: nobody knows", out.Dropped)
	case holds:
		r.Verdict = Pass
	}
	return r
}

func (c Check) judgeExit(out remote.Output) Result {
	r := Result{Verdict: Fail, Want: fmt.Sprintf("exit code %d", *c.Exit), Got: ending(out), Pos: c.Pos}
	switch {
	case out.TimedOut:
		r.Verdict = Error
	case out.Exit == *c.Exit:
		r.Verdict = Pass
	}
	return r
}

// ending says how a script ended.
func ending(out remote.Output) string {
	switch {
	case out.TimedOut:
		return fmt.Sprintf("it was killed when its time was over, after %.1f s", out.Duration.Seconds())
	case out.Exit == 126:
		return "exit code 126 (not executable)"
	case out.Exit == 127:
		return "exit code 127 (not found)"
	case out.Exit > 128:
		return fmt.Sprintf("exit code %d (signal %d)", out.Exit, out.Exit-128)
	}
	return fmt.Sprintf("exit code %d", out.Exit)
}

func (c Check) stream(out remote.Output) (t Text, name, text string) {
	switch {
	case c.Stdout != nil:
		return *c.Stdout, "stdout", string(out.Stdout)
	case c.Stderr != nil:
		return *c.Stderr, "stderr", string(out.Stderr)
	}
	text = string(out.Stdout)
	if len(text) > 0 && len(out.Stderr) > 0 && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return *c.Combined, "output", text + string(out.Stderr)
}

// holds compares normalised text. Negative says that the assertion is one of
// absence, which a command that did not run would satisfy as well.
func (t Text) holds(text string) (want string, holds, negative bool) {
	switch {
	case t.Equals != nil:
		want := Normalise(*t.Equals)
		return fmt.Sprintf("equals %q", want), text == want, false
	case t.Contains != nil:
		want := strings.TrimRight(*t.Contains, "\n")
		return fmt.Sprintf("contains %q", want), strings.Contains(text, want), false
	case t.NotContains != nil:
		want := strings.TrimRight(*t.NotContains, "\n")
		return fmt.Sprintf("does not contain %q", want), !strings.Contains(text, want), true
	case t.Matches != nil:
		return fmt.Sprintf("matches /%s/", t.Matches.Expression()), t.Matches.MatchString(text), false
	case t.NotMatches != nil:
		return fmt.Sprintf("does not match /%s/", t.NotMatches.Expression()), !t.NotMatches.MatchString(text), true
	case *t.Empty:
		return "is empty", text == "", true
	}
	return "is not empty", text != "", false
}

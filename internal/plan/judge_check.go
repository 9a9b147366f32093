package plan

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"labctl/internal/remote"
)

// Judge judges one check by the output and the variables alone.
func (c Check) Judge(out remote.Output, vars map[string]string) Result {
	return judging{out: out, streams: streamsOf(out), vars: vars, ran: commandRan(out)}.check(c, sameKey{})
}

// judging is what checks of one attempt on one node are judged by.
type judging struct {
	node string
	out  remote.Output
	streams
	vars map[string]string
	// captures are the step's own.
	captures map[string]Capture
	// ran says that the command ran, so that its silence means something.
	ran bool
	// same receives what checks of that kind find; nil if nobody asks.
	same map[sameKey]string
}

// asking is j for a list of checks: one that asks for exit code 126 or 127 wants
// to see that the command cannot run.
func (j judging) asking(list []Check) judging {
	for _, c := range list {
		if c.Exit != nil && c.concerns(j.node) && *c.Exit == j.out.Exit && !j.out.TimedOut {
			j.ran = true
		}
	}
	return j
}

func (j judging) check(c Check, key sameKey) Result {
	switch {
	case c.Exit != nil:
		return j.exit(c)
	case c.Same != nil:
		return j.findSame(c, key)
	}
	v := &values{vars: j.vars}
	t, name, text, ofOutput := j.subject(c, v)
	f := t.find(text, v)
	r := Result{Verdict: Fail, Want: shorten(name + " " + f.want), Got: f.got, Pos: c.Pos}
	if r.Got == "" {
		r.Got = shorten(text)
	}
	switch {
	case v.err != nil:
		r.Verdict, r.Got = j.unknown(v.err)
	case ofOutput && !j.ran && t.find("", v).holds:
		// The assertion is one of absence, which a command that did not run
		// satisfies as well.
		r.Verdict, r.Got = Error, "the command did not run: "+ending(j.out)
	case ofOutput && j.out.Dropped > 0 && !t.settled(f.holds):
		r.Verdict, r.Got = Error, fmt.Sprintf("%d bytes of output were dropped: nobody knows", j.out.Dropped)
	case f.err:
		r.Verdict = Error
	case f.holds:
		r.Verdict = Pass
		if f.got == "" {
			r.Got = t.evidence(Normalise(text), v)
		}
	}
	return r
}

// unknown is the verdict of a check that lacks a variable. One that the step
// itself should have captured is missing because of what came.
func (j judging) unknown(err error) (Verdict, string) {
	var unknown *UnknownVariableError
	if errors.As(err, &unknown) {
		if _, own := j.captures[unknown.Name]; own {
			return Fail, fmt.Sprintf("nothing was captured as %s", unknown.Name)
		}
	}
	return Error, err.Error()
}

// subject is the text that a check is about, normalised; ofOutput says that the
// step printed it.
func (j judging) subject(c Check, v *values) (t Text, name, text string, ofOutput bool) {
	switch {
	case c.Stdout != nil:
		return *c.Stdout, "stdout", j.stdout(), true
	case c.Stderr != nil:
		return *c.Stderr, "stderr", j.stderr(), true
	case c.Value != nil:
		return c.Value.Text, c.Value.Of.Text, Normalise(v.text(&c.Value.Of)), false
	}
	return *c.Combined, "output", j.combined(), true
}

// streams are an attempt's, normalised when somebody asks, and once: they can
// be of some MiB, and a step has many checks.
type streams struct{ stdout, stderr, combined func() string }

func streamsOf(out remote.Output) streams {
	return streams{
		stdout: sync.OnceValue(func() string { return Normalise(string(out.Stdout)) }),
		stderr: sync.OnceValue(func() string { return Normalise(string(out.Stderr)) }),
		combined: sync.OnceValue(func() string {
			text := string(out.Stdout)
			if len(text) > 0 && len(out.Stderr) > 0 && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			return Normalise(text + string(out.Stderr))
		}),
	}
}

// words says the check as it stands in the file: two checks with the same words
// are the same check.
func (c Check) words() string {
	v := &values{written: true}
	words := ""
	switch {
	case c.Exit != nil:
		words = judging{}.exit(c).Want
	case c.Same != nil:
		words = sameWords(c.Same)
	case c.Stdout == nil && c.Stderr == nil && c.Combined == nil && c.Value == nil:
		return ""
	default:
		t, name, _, _ := judging{streams: streamsOf(remote.Output{})}.subject(c, v)
		words = name + " " + t.find("", v).want
	}
	if c.Node != "" {
		words += " on " + c.Node
	}
	return words
}

func (j judging) exit(c Check) Result {
	r := Result{Verdict: Fail, Want: fmt.Sprintf("exit code %d", *c.Exit), Got: ending(j.out), Pos: c.Pos}
	switch {
	case j.out.TimedOut:
		r.Verdict = Error
	case j.out.Exit == *c.Exit:
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

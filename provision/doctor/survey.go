package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"labctl/provision"
	"labctl/provision/image"
)

// survey is the machine and what several checks want to know of it.
type survey struct {
	Machine
	// where the pair's domains would run: Private or a URI.
	where string
	// facts of that hypervisor, nil if it does not answer or does not run.
	facts    *provision.Facts
	factsErr error
	// systemErr is why the system's daemon was not chosen.
	systemErr error
	image     image.Image
	imageErr  error
	// verifying is the context for reading an image whole.
	verifying context.Context
}

// newSurvey chooses the hypervisor as `up` does and asks it once.
func newSurvey(ctx context.Context, m Machine) survey {
	s := survey{Machine: m, where: m.Hypervisor, verifying: ctx}
	s.image, s.imageErr = m.Image()
	if s.where == Auto {
		if s.facts, s.systemErr = m.ask(ctx, System); s.systemErr == nil {
			s.where = System
			return s
		}
		s.where = Private
	}
	if s.where == Private && s.UID != 0 {
		return s // it could not be asked
	}
	s.facts, s.factsErr = m.ask(ctx, s.where)
	return s
}

// ask gets the facts of a hypervisor, in the time that there is for it.
func (m Machine) ask(ctx context.Context, where string) (*provision.Facts, error) {
	limited, cancel := context.WithTimeoutCause(ctx, askLimit, silentError{})
	defer cancel()
	facts, err := m.Facts(limited, where)
	if err == nil {
		return &facts, nil
	}
	if cause := context.Cause(limited); errors.Is(cause, silentError{}) {
		return nil, cause
	}
	return nil, err
}

// silentError: a daemon took the connection and does not answer.
type silentError struct{}

func (silentError) Error() string { return fmt.Sprintf("no answer within %s", askLimit) }
func (silentError) Hint() string {
	return "the daemon is stopped or stuck; guests outlive it: systemctl restart libvirtd (or virtqemud)"
}

func (s survey) private() bool { return s.where == Private }

// remote says that domains run on another machine.
func (s survey) remote() bool {
	u, err := url.Parse(s.where)
	return err == nil && u.Host != ""
}

// shared says that domains run on this machine, under a daemon that others use.
func (s survey) shared() bool { return !s.private() && !s.remote() }

// built says that the golden image is there.
func (s survey) built() bool { return s.imageErr == nil }

// forImage is the level of what only building an image needs.
func (s survey) forImage() Level {
	if s.built() {
		return Note
	}
	return Bad
}

// hintOf returns the first hint in an error's chain, or the alternative.
func hintOf(err error, alternative string) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		return oneLine(h.Hint())
	}
	return alternative
}

// oneLine joins the lines of a text.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func isAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }

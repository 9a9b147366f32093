package doctor

import (
	"context"
	"errors"
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
		facts, err := m.Facts(ctx, System)
		if err == nil {
			s.where, s.facts = System, &facts
			return s
		}
		s.where, s.systemErr = Private, err
	}
	if s.where == Private && s.UID != 0 {
		return s // it could not be asked
	}
	facts, err := m.Facts(ctx, s.where)
	if err == nil {
		s.facts = &facts
	}
	s.factsErr = err
	return s
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

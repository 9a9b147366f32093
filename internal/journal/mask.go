package journal

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Masked stands where a secret was.
const Masked = "[masked]"

// MinSecret is the length in bytes of the shortest secret: a shorter one would
// mask half of every report, and could be guessed from the rest.
const MinSecret = 4

// ErrShortSecret says that a value is too short to be masked.
var ErrShortSecret = errors.New("a secret must have at least 4 bytes")

// Mask hides secrets: as they are, in base64 (standard and URL alphabets, also
// as a part of something longer) and escaped for a URL. The zero value and nil
// hide nothing. Its methods may be called from several goroutines at once.
type Mask struct {
	mu    sync.RWMutex
	forms []string
	r     *strings.Replacer
}

// Add makes a value secret from now on. An empty one is nothing to hide, a
// shorter one than MinSecret is ErrShortSecret.
func (m *Mask) Add(secret string) error {
	if secret == "" {
		return nil
	}
	if len(secret) < MinSecret {
		return ErrShortSecret
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forms = append(m.forms, forms(secret)...)
	// The replacer takes the first that matches at a place: longer forms first.
	slices.SortFunc(m.forms, func(a, b string) int { return len(b) - len(a) })
	m.forms = slices.Compact(m.forms)
	pairs := make([]string, 0, 2*len(m.forms))
	for _, f := range m.forms {
		pairs = append(pairs, f, Masked)
	}
	m.r = strings.NewReplacer(pairs...)
	return nil
}

func forms(secret string) []string {
	found := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			// Whatever comes before and after the secret changes the characters that
			// share bits with it; those in between are always the same.
			text := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
			from := (shift*8 + 5) / 6
			to := (shift + len(secret)) * 8 / 6
			found = append(found, text[from:to])
		}
	}
	return found
}

// Text hides the secrets in a text.
func (m *Mask) Text(s string) string {
	if m == nil {
		return s
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.r == nil {
		return s
	}
	return m.r.Replace(s)
}

// Event hides the secrets in all of an event that comes from a cluster.
func (m *Mask) Event(e Event) Event {
	if m == nil || m.empty() {
		return e
	}
	for _, s := range []*string{&e.Script, &e.Stdout, &e.Stderr, &e.Error, &e.Hint, &e.Text} {
		*s = m.Text(*s)
	}
	e.Checks = m.checks(e.Checks)
	e.Claims = slices.Clone(e.Claims)
	for i := range e.Claims {
		e.Claims[i].Checks = m.checks(e.Claims[i].Checks)
	}
	e.Captured = maps.Clone(e.Captured)
	for name, value := range e.Captured {
		e.Captured[name] = m.Text(value)
	}
	e.Differences, e.Remarks = m.differences(e.Differences), m.differences(e.Remarks)
	return e
}

func (m *Mask) differences(all []Difference) []Difference {
	all = slices.Clone(all)
	for i := range all {
		d := &all[i]
		d.Missing, d.Extra = m.lines(d.Missing), m.lines(d.Extra)
	}
	return all
}

func (m *Mask) empty() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.r == nil
}

func (m *Mask) checks(all []CheckResult) []CheckResult {
	all = slices.Clone(all)
	for i := range all {
		all[i].Want, all[i].Got = m.Text(all[i].Want), m.Text(all[i].Got)
	}
	return all
}

func (m *Mask) lines(all []string) []string {
	all = slices.Clone(all)
	for i := range all {
		all[i] = m.Text(all[i])
	}
	return all
}

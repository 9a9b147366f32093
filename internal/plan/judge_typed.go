package plan

import (
	"bytes"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"time"
)

// findTyped judges text as one value of a kind. Text that is no such value is
// not what was wanted; a variable that is none cannot be compared with.
func (t Text) findTyped(text string, v *values) finding {
	text = strings.TrimSpace(text)
	switch {
	case t.Number != nil:
		return t.Number.find("number", parseNumber, text, v)
	case t.Duration != nil:
		return t.Duration.find("duration", parseDuration, text, v)
	case t.IP != nil && t.IP.In != nil:
		return compare(text, v.text(t.IP.In), "is an IP address in", "IP address", netip.ParseAddr, "network", netip.ParsePrefix,
			func(a netip.Addr, n netip.Prefix) bool { return n.Contains(a.WithZone("")) })
	case t.IP != nil:
		return compare(text, v.text(t.IP.Is), "is the IP address", "IP address", netip.ParseAddr, "IP address", netip.ParseAddr,
			func(a, b netip.Addr) bool { return a == b })
	case t.MAC != nil:
		return compare(text, v.text(t.MAC), "is the MAC address", "MAC address", net.ParseMAC, "MAC address", net.ParseMAC,
			func(a, b net.HardwareAddr) bool { return bytes.Equal(a, b) })
	case t.CIDR != nil:
		return compare(text, v.text(t.CIDR), "is the network", "network", netip.ParsePrefix, "network", netip.ParsePrefix,
			func(a, b netip.Prefix) bool { return a.Masked() == b.Masked() })
	}
	return finding{want: "says nothing", err: true, got: "the check has no assertion"}
}

// compare reads both sides and compares them as what they are.
func compare[A, B any](text, want, words, kind string, parse func(string) (A, error),
	wantKind string, parseWant func(string) (B, error), equal func(A, B) bool,
) finding {
	f := finding{want: words + " " + want}
	b, err := parseWant(strings.TrimSpace(want))
	if err != nil {
		f.err, f.got = true, fmt.Sprintf("%q is no %s to compare with", want, wantKind)
		return f
	}
	a, err := parse(text)
	if err != nil {
		f.got = none(kind, text)
		return f
	}
	f.holds = equal(a, b)
	return f
}

// none says that text is no value of a kind.
func none(kind, text string) string {
	article := "a"
	if kind == "IP address" {
		article = "an"
	}
	return shorten(fmt.Sprintf("not %s %s: %q", article, kind, text))
}

var decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// parseNumber reads a decimal number, exactly; Prometheus writes large ones with
// an exponent.
func parseNumber(text string) (*big.Rat, bool) {
	if !decimal.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func parseDuration(text string) (*big.Rat, bool) {
	d, err := time.ParseDuration(text)
	return new(big.Rat).SetInt64(int64(d)), err == nil
}

// find compares text with the bounds.
func (r Range) find(kind string, parse func(string) (*big.Rat, bool), text string, v *values) finding {
	words, bad, holds := r.compare(parse, v)
	f := finding{want: fmt.Sprintf("is a %s: %s", kind, words)}
	value, ok := parse(text)
	switch {
	case bad != "":
		f.err, f.got = true, fmt.Sprintf("%q is no %s to compare with", bad, kind)
	case !ok:
		f.got = none(kind, text)
	default:
		f.holds = holds(value)
	}
	return f
}

// compare returns the bounds in words, the first that cannot be read, and how to
// compare with all of them.
func (r Range) compare(parse func(string) (*big.Rat, bool), v *values) (words, bad string, holds func(*big.Rat) bool) {
	var all []string
	var bounds []func(*big.Rat) bool
	for _, b := range r.bounds() {
		text := v.text(b.at)
		all = append(all, b.words+text)
		limit, ok := parse(strings.TrimSpace(text))
		if !ok {
			if bad == "" {
				bad = text
			}
			continue
		}
		bounds = append(bounds, func(x *big.Rat) bool { return b.holds(x.Cmp(limit)) })
	}
	return strings.Join(all, " and "), bad, func(x *big.Rat) bool {
		for _, holds := range bounds {
			if !holds(x) {
				return false
			}
		}
		return true
	}
}

// bound is one side of a range.
type bound struct {
	key, words string
	at         *Template
	// holds takes how a value compares with the bound: -1, 0, or 1.
	holds func(int) bool
}

// bounds returns those that are set.
func (r Range) bounds() []bound {
	var set []bound
	for _, b := range []bound{
		{"is", "", r.Is, func(c int) bool { return c == 0 }},
		{"not", "not ", r.Not, func(c int) bool { return c != 0 }},
		{"atLeast", "at least ", r.AtLeast, func(c int) bool { return c >= 0 }},
		{"moreThan", "more than ", r.MoreThan, func(c int) bool { return c > 0 }},
		{"atMost", "at most ", r.AtMost, func(c int) bool { return c <= 0 }},
		{"lessThan", "less than ", r.LessThan, func(c int) bool { return c < 0 }},
	} {
		if b.at != nil {
			set = append(set, b)
		}
	}
	return set
}

// find counts lines.
func (c Count) find(text string, v *values) finding {
	p := v.pattern(&c.Of)
	words, bad, holds := c.compare(parseNumber, v)
	f := finding{want: fmt.Sprintf("has %s lines that match /%s/", words, p.Expression())}
	if bad != "" {
		f.err, f.got = true, fmt.Sprintf("%q is no number to compare with", bad)
		return f
	}
	var matching []string
	lines := splitLines(text)
	for _, line := range lines {
		if p.MatchString(line) {
			matching = append(matching, line)
		}
	}
	f.holds = holds(new(big.Rat).SetInt64(int64(len(matching))))
	f.got = fmt.Sprintf("%d of %d lines match", len(matching), len(lines))
	if len(matching) > 0 {
		f.got += shorten(":\n" + strings.Join(matching, "\n"))
	} else if text != "" {
		f.got += shorten(":\n" + text)
	}
	return f
}

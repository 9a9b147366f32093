package plan

import (
	"math/big"
	"net"
	"net/netip"
	"strings"

	"labctl/internal/strictyaml"
)

func isMAC(text string) (what string, ok bool) {
	_, err := net.ParseMAC(text)
	return "a MAC address", err == nil
}

func isNetwork(text string) (what string, ok bool) {
	_, err := netip.ParsePrefix(text)
	return "a network such as 10.0.0.0/8", err == nil
}

func isIP(text string) (what string, ok bool) {
	_, err := netip.ParseAddr(text)
	return "an IP address", err == nil
}

func isNumber(text string) (what string, ok bool) {
	_, ok = parseNumber(text)
	return "a decimal number", ok
}

func isWhole(text string) (what string, ok bool) {
	n, ok := parseNumber(text)
	return "a whole number from 0", ok && n.IsInt() && n.Sign() >= 0
}

func isDuration(text string) (what string, ok bool) {
	_, ok = parseDuration(text)
	return `a duration such as "30s" or "2m"`, ok
}

// typed holds a value to its kind, if it is written out and not a variable's.
func (b *Builder) typed(key string, t *at[Template], is func(string) (string, bool)) *Template {
	if t == nil {
		return nil
	}
	b.uses(t.Value.Text, t.Pos)
	if len(references(t.Value.Text)) == 0 {
		if what, ok := is(strings.TrimSpace(t.Value.Text)); !ok {
			b.Slips.Addf(t.Pos, "%q must be %s, not %q", key, what, t.Value.Text)
		}
	}
	return &t.Value
}

func (b *Builder) ip(f *at[ipForm]) *IP {
	if f == nil {
		return nil
	}
	return &IP{Is: b.typed("is", f.Value.Is, isIP), In: b.typed("in", f.Value.In, isNetwork)}
}

func (b *Builder) count(f *at[countForm]) *Count {
	if f == nil {
		return nil
	}
	b.uses(f.Value.Of.Value.written, f.Value.Of.Pos)
	c := &Count{Of: f.Value.Of.Value, Range: b.bounds("count", f.Value.rangeForm, f.Pos, isWhole, parseNumber)}
	if _, _, holds := c.compare(parseNumber, &values{written: true}); f.Value.constant() {
		anything := true
		for _, n := range []int64{0, 1, 2, 5, 1e6} {
			anything = anything && holds(big.NewRat(n, 1))
		}
		if anything {
			b.Slips.Addf(f.Pos, `"count": any number of lines will do: %s`, assertsNothing)
		}
		if !holds(new(big.Rat)) && c.LessThan != nil && c.LessThan.Text == "0" {
			b.Slips.Addf(f.Pos, `"count" is less than 0: %s`, neverHolds)
		}
	}
	return c
}

func (b *Builder) rangeOf(key string, f *at[rangeForm]) *Range {
	if f == nil {
		return nil
	}
	is, parse := isNumber, parseNumber
	if key == "duration" {
		is, parse = isDuration, parseDuration
	}
	r := b.bounds(key, f.Value, f.Pos, is, parse)
	return &r
}

// constant says that no bound has a variable.
func (f rangeForm) constant() bool {
	for _, t := range []*at[Template]{f.Is, f.Not, f.AtLeast, f.AtMost, f.MoreThan, f.LessThan} {
		if t != nil && len(references(t.Value.Text)) > 0 {
			return false
		}
	}
	return true
}

func (b *Builder) bounds(key string, f rangeForm, pos strictyaml.Pos, is func(string) (string, bool), parse func(string) (*big.Rat, bool)) Range {
	r := Range{
		Is: b.typed("is", f.Is, is), Not: b.typed("not", f.Not, is),
		AtLeast: b.typed("atLeast", f.AtLeast, is), AtMost: b.typed("atMost", f.AtMost, is),
		MoreThan: b.typed("moreThan", f.MoreThan, is), LessThan: b.typed("lessThan", f.LessThan, is),
	}
	set := r.bounds()
	switch {
	case len(set) == 0:
		b.Slips.Addf(pos, "%q needs a bound: is, not, atLeast, atMost, moreThan or lessThan", key)
	case r.Is != nil && len(set) > 1:
		b.Slips.Addf(f.Is.Pos, `%q: "is" leaves nothing for other bounds to say`, key)
	case r.AtLeast != nil && r.MoreThan != nil:
		b.Slips.Addf(f.MoreThan.Pos, `%q has both "atLeast" and "moreThan"`, key)
	case r.AtMost != nil && r.LessThan != nil:
		b.Slips.Addf(f.LessThan.Pos, `%q has both "atMost" and "lessThan"`, key)
	case f.constant() && r.crossed(parse):
		b.Slips.Addf(pos, "%q: no value is within these bounds: %s", key, neverHolds)
	}
	return r
}

// crossed says that the lower bound is not below the upper one.
func (r Range) crossed(parse func(string) (*big.Rat, bool)) bool {
	lower, upper := r.AtLeast, r.AtMost
	touching := lower != nil && upper != nil
	if r.MoreThan != nil {
		lower = r.MoreThan
	}
	if r.LessThan != nil {
		upper = r.LessThan
	}
	if lower == nil || upper == nil {
		return false
	}
	low, ok1 := parse(strings.TrimSpace(lower.Text))
	high, ok2 := parse(strings.TrimSpace(upper.Text))
	if !ok1 || !ok2 {
		return false
	}
	order := low.Cmp(high)
	return order > 0 || order == 0 && !touching
}

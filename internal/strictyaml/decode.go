package strictyaml

import (
	"encoding"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

type decoder struct {
	file  string
	slips Slips
}

var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// into decodes a node into what dst points to.
func (d *decoder) into(n ast.Node, dst any) {
	switch dst := dst.(type) {
	case placer:
		d.into(n, dst.place(d.pos(n)))
		return
	case adder:
		d.entries(n, dst)
		return
	case Chooser:
		d.choose(n, dst)
		return
	case *Words:
		d.words(n, dst)
		return
	case *time.Duration:
		d.duration(n, dst)
		return
	case *netip.Addr:
		if text, ok := d.text(n); ok {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				d.kind(n, "an IP address such as 10.10.10.130")
			}
			*dst = addr
		}
		return
	case *netip.Prefix:
		if text, ok := d.text(n); ok {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				d.kind(n, "a network such as 10.10.10.0/24")
			}
			*dst = prefix
		}
		return
	case encoding.TextUnmarshaler:
		if text, ok := d.text(n); ok {
			if err := dst.UnmarshalText([]byte(text)); err != nil {
				d.slips.Addf(d.pos(n), "%s", err)
			}
		}
		return
	}
	v := reflect.ValueOf(dst).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.into(n, v.Interface())
	case reflect.Struct:
		d.object(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.String:
		if text, ok := d.text(n); ok {
			v.SetString(text)
		}
	case reflect.Bool:
		text, plain := plainText(n)
		if !plain || text != "true" && text != "false" {
			d.kind(n, "true or false")
			return
		}
		v.SetBool(text == "true")
	case reflect.Int:
		text, plain := plainText(n)
		i, err := strconv.Atoi(text)
		if !plain || err != nil || !wholeNumber.MatchString(text) {
			d.kind(n, "a whole number")
			return
		}
		v.SetInt(int64(i))
	default:
		panic(fmt.Sprintf("strictyaml: no decoding into %s", v.Type()))
	}
}

func (d *decoder) kind(n ast.Node, want string) {
	d.slips.Addf(d.pos(n), "must be %s, not %s", want, describe(n))
}

func (d *decoder) text(n ast.Node) (string, bool) {
	text, ok := scalarText(n)
	if !ok {
		d.kind(n, "text")
	}
	return text, ok
}

func (d *decoder) duration(n ast.Node, dst *time.Duration) {
	text, ok := scalarText(n)
	v, err := time.ParseDuration(text)
	if !ok || err != nil || v < 0 || text == "0" {
		d.kind(n, `a duration such as "30s" or "2m"`)
		return
	}
	*dst = v
}

func (d *decoder) list(n ast.Node, v reflect.Value) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.kind(n, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		if isEmpty(item) {
			d.slips.Addf(d.pos(item), "an empty item")
			continue
		}
		d.into(item, v.Index(i).Addr().Interface())
	}
}

func (d *decoder) words(n ast.Node, dst *Words) {
	if seq, ok := n.(*ast.SequenceNode); ok {
		d.list(seq, reflect.ValueOf(dst).Elem())
		return
	}
	word := At[string]{Pos: d.pos(n)}
	if text, ok := d.text(n); ok {
		word.Value = text
	}
	*dst = Words{word}
}

func (d *decoder) entries(n ast.Node, dst adder) {
	d.pairs(n, func(key At[string], value ast.Node) { d.into(value, dst.add(key)) })
}

func (d *decoder) object(n ast.Node, v reflect.Value) {
	fields := fieldsOf(v)
	if fields.pos.IsValid() {
		fields.pos.Set(reflect.ValueOf(d.pos(n)))
	}
	if fields.word.IsValid() {
		if _, ok := mapping(n); !ok {
			d.word(n, fields.word)
			return
		}
	}
	seen, unknown := map[string]bool{}, false
	ok := d.pairs(n, func(key At[string], value ast.Node) {
		i := fields.index(key.Value)
		if i < 0 {
			// A misspelt key is one slip, not also a missing field.
			seen[Nearest(key.Value, fields.names)], unknown = true, true
			d.slips.Addf(key.Pos, "unknown key %q: %s", key.Value, Suggest(key.Value, fields.names))
			return
		}
		before := len(d.slips.list)
		d.into(value, fields.values[i].Addr().Interface())
		d.naming(before, key.Value, value)
	})
	if !ok {
		return
	}
	m, _ := mapping(n)
	for _, pair := range m.Values {
		seen[keyText(pair)] = true
	}
	for i, name := range fields.names {
		if fields.tags[i].required && !seen[name] {
			d.slips.Addf(d.pos(n), "missing %q", name)
		}
	}
	if !unknown {
		d.one(n, fields.alternatives(), seen)
	}
}

// one holds a mapping to having just one of several keys.
func (d *decoder) one(n ast.Node, keys []string, seen map[string]bool) {
	var has []string
	for _, key := range keys {
		if seen[key] {
			has = append(has, key)
		}
	}
	switch {
	case len(keys) > 0 && len(has) == 0:
		d.slips.Addf(d.pos(n), "one of these is missing: %s", strings.Join(keys, ", "))
	case len(has) > 1:
		d.slips.Addf(d.pos(n), "only one of these may be there: %s", strings.Join(has, ", "))
	}
}

// word decodes a scalar that stands in place of a mapping.
func (d *decoder) word(n ast.Node, v reflect.Value) {
	if !isScalar(n) {
		d.kind(n, "a word or a mapping of keys to values")
		return
	}
	d.into(n, v.Addr().Interface())
}

// naming puts the key in front of a slip about its own scalar.
func (d *decoder) naming(before int, key string, value ast.Node) {
	at := d.pos(value)
	for i := before; i < len(d.slips.list); i++ {
		if s := &d.slips.list[i]; s.Pos == at && isScalar(value) {
			s.Text = fmt.Sprintf("%q: %s", key, s.Text)
		}
	}
}

// pairs calls each for every key with a value, once, in the order of the file.
func (d *decoder) pairs(n ast.Node, each func(At[string], ast.Node)) bool {
	m, ok := mapping(n)
	if !ok {
		d.kind(n, "a mapping of keys to values")
		return false
	}
	first := map[string]Pos{}
	for _, pair := range m.Values {
		key := At[string]{Value: keyText(pair), Pos: d.tokenPos(pair.Key.GetToken())}
		if _, ok := pair.Key.(ast.ScalarNode); !ok || pair.Key.IsMergeKey() {
			d.slips.Addf(key.Pos, "a key must be a plain word")
			continue
		}
		if at, dup := first[key.Value]; dup {
			d.slips.Addf(key.Pos, "duplicate key %q, first in line %d", key.Value, at.Line)
			continue
		}
		first[key.Value] = key.Pos
		if isEmpty(pair.Value) {
			d.slips.Addf(key.Pos, "%q has no value", key.Value)
			continue
		}
		each(key, pair.Value)
	}
	return true
}

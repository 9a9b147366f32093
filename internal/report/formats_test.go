package report_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/compare"
	"labctl/internal/journal"
)

// TestFormats: each key of what programs read stands in docs/formats.md, with a ?
// if it may be left out.
func TestFormats(t *testing.T) {
	content, err := os.ReadFile("../../docs/formats.md")
	require.NoError(t, err)
	for _, c := range []struct {
		from, to string // headings
		typ      reflect.Type
		least    int // types that the walk must find
	}{
		{"#### result.json", "## Exit codes", reflect.TypeFor[journal.Result](), 8},
		{"### labctl diff -o json", "### A run's folder", reflect.TypeFor[compare.Diff](), 5},
		{"### labctl history -o json", "### A run's folder", reflect.TypeFor[compare.History](), 8},
	} {
		_, section, found := strings.Cut(string(content), "\n"+c.from+"\n")
		require.True(t, found, c.from)
		section, _, found = strings.Cut(section, "\n"+c.to+"\n")
		require.True(t, found, c.to)
		section = strings.ReplaceAll(section, "[]`", "`")
		seen := map[reflect.Type]bool{}
		documented(t, section, c.typ, seen)
		assert.GreaterOrEqual(t, len(seen), c.least, c.from)
	}
}

// documented demands that the keys of a type, and of what it is made of, stand in
// a section.
func documented(t *testing.T, section string, typ reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		documented(t, section, typ.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[typ] || !strings.HasPrefix(typ.PkgPath(), "labctl/") {
		return
	}
	seen[typ] = true
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" {
			want := "`" + name + "`"
			if tagged && options == "omitempty" {
				want += "?"
			}
			assert.Contains(t, section, want, "%s.%s", typ.Name(), f.Name)
		}
		documented(t, section, f.Type, seen)
	}
}

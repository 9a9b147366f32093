package report_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

// TestFormats: each key of result.json stands in docs/formats.md, with a ? if it
// may be left out.
func TestFormats(t *testing.T) {
	content, err := os.ReadFile("../../docs/formats.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(content), "#### result.json")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			walk(typ.Elem())
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
			name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" {
				want := "`" + name + "`"
				if tagged && options == "omitempty" {
					want += "?"
				}
				assert.Contains(t, section, want, "%s.%s", typ.Name(), f.Name)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[journal.Result]())
	assert.Greater(t, len(seen), 8)
}

package strictyaml

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const head = "apiVersion: labctl/v1\nkind: Thing\n"

type thing struct {
	Pos    Pos             `yaml:",pos"`
	Name   string          `yaml:"name"`
	Count  *At[int]        `yaml:"count"`
	On     Words           `yaml:"on"`
	Flag   bool            `yaml:"flag"`
	Limit  time.Duration   `yaml:"limit"`
	Addr   netip.Addr      `yaml:"addr"`
	Level  slog.Level      `yaml:"level"`
	Free   Entries[string] `yaml:"free"`
	Parts  []part          `yaml:"parts"`
	Nested *At[part]       `yaml:"nested"`
	Either []At[either]    `yaml:"either"`
	Choice *choice         `yaml:"choice"`
}

type choice struct {
	This string `yaml:"this,one"`
	That string `yaml:"that,one"`
	Else string `yaml:"else"`
}

type either struct {
	Pos  Pos      `yaml:",pos"`
	Line *At[int] `yaml:"line,required,word"`
	Many bool     `yaml:"many"`
}

type part struct {
	Pos Pos    `yaml:",pos"`
	ID  string `yaml:"id,required"`
	base
}

type base struct {
	Size int `yaml:"size"`
}

func decode(body string) (thing, error) {
	var v thing
	err := Decode("f.yaml", []byte(head+body), "Thing", &v)
	return v, err
}

func TestScalarsStayAsWritten(t *testing.T) {
	for _, written := range []string{
		"007", "no", "1e3", "12:30", "null", "~", "5.0", "0x10", "2024-01-01", "+1", "1_000", ".inf", ".NaN",
		"True", "y", "0b1", "0o17", "-0", "NULL", "10.10.10.130", "<<", "=", "a # b", "a: b", "- a", "[a", "{a", "*a", "&a", "!a", "%a", "@a", "`a", "",
		" a ", "'", `"`, `\n`, "é", "日本",
	} {
		for _, quoted := range []string{"'" + strings.ReplaceAll(written, "'", "''") + "'", fmt.Sprintf("%q", written)} {
			v, err := decode("name: " + quoted + "\n")
			if assert.NoError(t, err, quoted) {
				assert.Equal(t, written, v.Name, quoted)
			}
		}
	}
	for _, plain := range []string{
		"007", "no", "1e3", "12:30", "null", "~", "5.0", "0x10", "2024-01-01", "+1", "1_000", ".inf", ".NaN",
		"True", "y", "0b1", "0o17", "-0", "NULL", "10.10.10.130", "a#b", "a:b", `\n`, "é 日本",
	} {
		v, err := decode("name: " + plain + " # comment\non: [" + plain + ", " + plain + "]\nfree:\n  " + "k: " + plain + "\n")
		if assert.NoError(t, err, plain) {
			assert.Equal(t, plain, v.Name)
			require.Len(t, v.On, 2)
			assert.Equal(t, plain, v.On[1].Value)
			assert.Equal(t, plain, v.Free[0].Value)
		}
	}
}

func TestGoodValues(t *testing.T) {
	v, err := decode(`name: |
  for i in 1 2; do
    echo $i   # stays
  done

  cat <<'EOF'
  ---
  EOF
count: -12
on: one
flag: true
limit: 1m30s
addr: 10.0.0.1
free:
  b: 1
  a: "2"
parts:
  - id: x
    size: 3
  - {size: 4, id: y}
nested: {id: z}
either: [7, {line: 8, many: true}]
`)
	require.NoError(t, err)
	assert.Equal(t, "for i in 1 2; do\n  echo $i   # stays\ndone\n\ncat <<'EOF'\n---\nEOF\n", v.Name)
	assert.Equal(t, &At[int]{Value: -12, Pos: Pos{"f.yaml", 11, 8}}, v.Count)
	assert.Equal(t, Words{{Value: "one", Pos: Pos{"f.yaml", 12, 5}}}, v.On)
	assert.True(t, v.Flag)
	assert.Equal(t, 90*time.Second, v.Limit)
	assert.Equal(t, "10.0.0.1", v.Addr.String())
	assert.Equal(t, []string{"b", "a"}, []string{v.Free[0].Key.Value, v.Free[1].Key.Value}, "in the order of the file")
	assert.Equal(t, part{Pos: Pos{"f.yaml", 20, 5}, ID: "x", base: base{3}}, v.Parts[0])
	assert.Equal(t, part{Pos: Pos{"f.yaml", 22, 5}, ID: "y", base: base{4}}, v.Parts[1])
	assert.Equal(t, 3, v.Pos.Line)
	assert.Equal(t, "z", v.Nested.Value.ID)
	assert.Equal(t, []At[either]{
		{Value: either{Pos: Pos{"f.yaml", 24, 10}, Line: &At[int]{7, Pos{"f.yaml", 24, 10}}}, Pos: Pos{"f.yaml", 24, 10}},
		{Value: either{Pos: Pos{"f.yaml", 24, 13}, Line: &At[int]{8, Pos{"f.yaml", 24, 20}}, Many: true}, Pos: Pos{"f.yaml", 24, 13}},
	}, v.Either)
}

func TestSlips(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"unknown key, near", "nmae: x\n", `f.yaml:3:1: unknown key "nmae": did you mean "name"?`},
		{"unknown key, wrong case", "Name: x\n", `f.yaml:3:1: unknown key "Name": did you mean "name"?`},
		{"unknown key, far", "zzzzzz: x\n", `f.yaml:3:1: unknown key "zzzzzz": valid are name, count, on, flag, limit, addr, level, free, parts, nested, either, choice`},
		{"duplicate", "name: a\nflag: true\nname: b\n", `f.yaml:5:1: duplicate key "name", first in line 3`},
		{"duplicate, free", "free: {a: 1, a: 2}\n", `f.yaml:3:14: duplicate key "a", first in line 3`},
		{"duplicate header", "kind: Thing\n", `f.yaml:3:1: unknown key "kind": valid are name, count, on, flag, limit, addr, level, free, parts, nested, either, choice`},
		{"list for text", "name: [a]\n", `f.yaml:3:7: must be text, not a list`},
		{"mapping for text", "name:\n  a: b\n", `f.yaml:4:3: must be text, not a mapping`},
		{"text for list", "parts: a\n", `f.yaml:3:8: "parts": must be a list, not "a"`},
		{"text for mapping", "nested: a\n", `f.yaml:3:9: "nested": must be a mapping of keys to values, not "a"`},
		{"no number", "count: 1e3\n", `f.yaml:3:8: "count": must be a whole number, not "1e3"`},
		{"octal", "count: 010\n", `f.yaml:3:8: "count": must be a whole number, not "010"`},
		{"quoted number", "count: '1'\n", `f.yaml:3:8: "count": must be a whole number, not "1"`},
		{"number too large", "count: 99999999999999999999\n", `f.yaml:3:8: "count": must be a whole number, not "99999999999999999999"`},
		{"null number", "count: null\n", `f.yaml:3:8: "count": must be a whole number, not "null"`},
		{"not a bool", "flag: yes\n", `f.yaml:3:7: "flag": must be true or false, not "yes"`},
		{"quoted bool", "flag: 'true'\n", `f.yaml:3:7: "flag": must be true or false, not "true"`},
		{"bare duration", "limit: 30\n", `f.yaml:3:8: "limit": must be a duration such as "30s" or "2m", not "30"`},
		{"negative duration", "limit: -3s\n", `f.yaml:3:8: "limit": must be a duration such as "30s" or "2m", not "-3s"`},
		{"address", "addr: x\n", `f.yaml:3:7: "addr": must be an IP address such as 10.10.10.130, not "x"`},
		{"text unmarshaler", "level: x\n", `f.yaml:3:8: "level": slog: level string "x": unknown name`},
		{"missing", "parts:\n  - size: 3\n", `f.yaml:4:5: missing "id"`},
		{"misspelt is not missing", "parts:\n  - idd: 3\n", `f.yaml:4:5: unknown key "idd": did you mean "id"?`},
		{"no value", "name:\nflag: true\n", `f.yaml:3:1: "name" has no value`},
		{"no value where one is required", "parts:\n  - id:\n", `f.yaml:4:5: "id" has no value`},
		{"empty item", "parts:\n  -\n", `f.yaml:4:5: an empty item`},
		{"anchor", "name: &x a\n", `f.yaml:3:7: must be text, not an anchor (&)`},
		{"alias", "name: *x\n", `f.yaml:3:7: must be text, not an alias (*)`},
		{"tag", "name: !!str a\n", `f.yaml:3:7: must be text, not a tag (!)`},
		{"merge", "<<: {name: a}\n", `f.yaml:3:1: a key must be a plain word`},
		{"second document", "name: a\n---\nname: b\n", `f.yaml:5:1: a second document: a file holds one`},
		{"syntax", "name: 'a\n", `f.yaml:3:7: could not find end character of single-quoted text`},
		{"tab", "parts:\n\t- id: x\n", `f.yaml:4:1: found character '	' that cannot start any token`},
		{"neither word nor mapping", "either: [[1]]\n", `f.yaml:3:10: must be a word or a mapping of keys to values, not a list`},
		{"a wrong word", "either: [x]\n", `f.yaml:3:10: must be a whole number, not "x"`},
		{"a mapping without the word's key", "either: [{many: true}]\n", `f.yaml:3:10: missing "line"`},
		{"none of several", "choice: {else: a}\n", `f.yaml:3:9: one of these is missing: this, that`},
		{"more than one", "choice: {this: a, that: b}\n", `f.yaml:3:9: only one of these may be there: this, that`},
		{"one of several, misspelt", "choice: {tihs: a}\n", `f.yaml:3:10: unknown key "tihs": did you mean "this"?`},
		{"several, in order", "count: a\nbad: 1\nflag: 2\n", "f.yaml:3:8: \"count\": must be a whole number, not \"a\"\n" +
			"f.yaml:4:1: unknown key \"bad\": valid are name, count, on, flag, limit, addr, level, free, parts, nested, either, choice\n" +
			"f.yaml:5:7: \"flag\": must be true or false, not \"2\""},
		{"columns count characters", "free: {é: 1, é: 2}\n", `f.yaml:3:14: duplicate key "é", first in line 3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.body)
			require.Error(t, err)
			assert.Equal(t, c.want, err.Error())
		})
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.yaml:1:1: the file is empty"},
		{"comment", "# only this\n", "f.yaml:1:1: the file is empty"},
		{"no mapping", "- a\n", "f.yaml:1:1: the file must be a mapping of keys to values, not a list"},
		{"missing both", "name: a\n", "f.yaml:1:1: missing \"apiVersion\": labctl/v1\nf.yaml:1:1: missing \"kind\": Thing"},
		{"another kind", "apiVersion: labctl/v1\nkind: Other\nx: 1\ny: 2\n", `f.yaml:2:7: "kind" must be Thing, not "Other"`},
		{"another version", "apiVersion: v1\nkind: Thing\n", `f.yaml:1:13: "apiVersion" must be labctl/v1, not "v1"`},
		{"too large", strings.Repeat("#", MaxBytes+1), "f.yaml:1:1: the file is larger than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Decode("f.yaml", []byte(c.text), "Thing", &thing{})
			require.Error(t, err)
			assert.Equal(t, c.want, err.Error())
		})
	}
	assert.NoError(t, Decode("f.yaml", []byte("\xef\xbb\xbf"+head), "Thing", &thing{}), "a byte order mark")
	assert.NoError(t, Decode("f.yaml", []byte("---\r\nkind: Thing\r\napiVersion: labctl/v1\r\n"), "Thing", &thing{}))
}

func TestTenSlipsAndACount(t *testing.T) {
	_, err := decode("parts:\n" + strings.Repeat("  - size: 1\n", 13))
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Len(t, e.Slips, 10)
	assert.Equal(t, 3, e.More)
	assert.True(t, strings.HasSuffix(err.Error(), "\nand 3 more"))
}

func TestNearest(t *testing.T) {
	valid := []string{"name", "timeout", "checks", "on", "control-plane"}
	for word, want := range map[string]string{
		"nmae": "name", "timout": "timeout", "Checks": "checks", "check": "checks", "no": "on", "x": "",
		"control_plane": "control-plane", "controlplane": "control-plane", "": "", "anything": "",
	} {
		assert.Equal(t, want, Nearest(word, valid), word)
	}
}

// Every file of the project must mean the same to another parser, scripts to
// the last byte, at the same places.
func TestAnotherParserReadsTheSame(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../topology/*.yaml", "../../provision/*.yaml", "../../labs/*/lab.yaml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var d decoder
			root := d.parse(data)
			require.NoError(t, d.slips.Err())
			var theirs yaml.Node
			require.NoError(t, yaml.Unmarshal(data, &theirs))
			compare(t, file, root, theirs.Content[0])
		})
	}
}

package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuery(t *testing.T) {
	for _, c := range []struct{ query, document, want string }{
		{"a", `{"a": "x y"}`, "x y"},
		{"a", `{"a": 131072}`, "131072"},
		{"a", `{"a": 1.50}`, "1.5"},
		{"a", `{"a": null}`, "null"},
		{"b", `{"a": 1}`, "null"},
		{"a", `{"a": ""}`, ""},
		{"@", `{"b": [1, "<"], "a": true}`, `{"a":true,"b":[1,"<"]}`},
		{"items[?status.phase=='Running'] | length(@)", `{"items": [{"status": {"phase": "Running"}}, {}]}`, "1"},
		{`metadata.annotations."a.b/c"`, `{"metadata": {"annotations": {"a.b/c": "1"}}}`, "1"},
	} {
		q, err := NewQuery(c.query)
		require.NoError(t, err, c.query)
		got, err := q.find(c.document)
		require.NoError(t, err, c.query)
		assert.Equal(t, c.want, got, c.query)
	}
	for query, want := range map[string]string{
		"a[":            "query does not compile: Expected TOKStar, received: TOKEOF, at character 3",
		"a b":           "query does not compile: Unexpected token at the end of the expression: TOKUnquotedIdentifier, at character 3",
		"a[?lenght(@)]": `query: unknown function "lenght": did you mean "length"?`,
	} {
		_, err := NewQuery(query)
		assert.EqualError(t, err, want)
	}
	q, err := NewQuery("length(a)")
	require.NoError(t, err)
	for document, want := range map[string]string{
		"":         "it is not JSON",
		"{} {}":    "it is not JSON",
		"{":        "it is not JSON",
		"NaN":      "it is not JSON",
		`{"a": 1}`: "evaluating the query",
	} {
		_, err := q.find(document)
		assert.ErrorContains(t, err, want, document)
	}
}

func TestLibraryPanicsBecomeErrors(t *testing.T) {
	_, err := Query{Text: "a"}.find("{}")
	assert.ErrorContains(t, err, "evaluating the query: runtime error")
}

package journal

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMaskHidesEveryForm(t *testing.T) {
	for _, secret := range []string{"s3cr3t", "p@ss w/rd&?", "äöü-€-secret", strings.Repeat("long", 20)} {
		var m Mask
		require.NoError(t, m.Add(secret))
		forms := map[string]string{
			"plain":        secret,
			"in a line":    "token=" + secret + "\n",
			"query":        "https://x/?t=" + url.QueryEscape(secret),
			"path":         "https://x/" + url.PathEscape(secret),
			"base64":       base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64 URL":   base64.URLEncoding.EncodeToString([]byte(secret)),
			"user:secret":  base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
			"with newline": base64.StdEncoding.EncodeToString([]byte(secret + "\n")),
			"shift by one": base64.StdEncoding.EncodeToString([]byte("x" + secret + "yz")),
			"shift by two": base64.StdEncoding.EncodeToString([]byte("xx" + secret + "y")),
		}
		for name, text := range forms {
			masked := m.Text("before " + text + " after")
			assert.Contains(t, masked, Masked, "%s of %q", name, secret)
			assert.NotContains(t, masked, secret)
			assert.True(t, strings.HasPrefix(masked, "before ") && strings.HasSuffix(masked, " after"))
		}
	}
}

func TestMaskRefusesSillySecrets(t *testing.T) {
	var m Mask
	assert.NoError(t, m.Add(""), "nothing to hide")
	assert.ErrorIs(t, m.Add("a"), ErrShortSecret)
	assert.Equal(t, "a banana", m.Text("a banana"))
	var none *Mask
	assert.Equal(t, "x", none.Text("x"))
	assert.Equal(t, Event{Stdout: "x"}, none.Event(Event{Stdout: "x"}))
}

func TestMaskOfAnEventLeavesTheOriginal(t *testing.T) {
	var m Mask
	require.NoError(t, m.Add("hunter2"))
	e := Event{
		Script: "echo hunter2", Stdout: "hunter2", Stderr: "hunter2", Error: "hunter2", Hint: "hunter2", Text: "hunter2",
		Checks:      []CheckResult{{Want: "equals hunter2", Got: "hunter2"}},
		Claims:      []ClaimResult{{Checks: []CheckResult{{Want: "hunter2"}}}},
		Captured:    map[string]string{"P": "hunter2"},
		Differences: []Difference{{Missing: []string{"hunter2"}, Extra: []string{"x hunter2"}}},
	}
	masked := m.Event(e)
	assert.NotContains(t, dump(t, masked), "hunter2")
	assert.Equal(t, "hunter2", e.Checks[0].Got)
	assert.Equal(t, "hunter2", e.Claims[0].Checks[0].Want)
	assert.Equal(t, "hunter2", e.Captured["P"])
	assert.Equal(t, "hunter2", e.Differences[0].Missing[0])
}

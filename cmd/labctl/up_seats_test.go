package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Seats that cannot come up, since they stand on something else, do not keep each
// other from being tried, and are in the table. No hypervisor is started for that.
func TestUpSeatsThatFail(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("seats take root: run as root, as `make test` does, and CI")
	}
	a, out, talk := doctorApp(t)
	state, err := a.stateDir()
	require.NoError(t, err)
	for _, seat := range []string{"seat-1", "seat-2"} {
		dir := filepath.Join(state, "pairs", seat)
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pair.json"), []byte(`{"name": "`+seat+`", "hypervisor": "private",
			"topology": {"Name": "old", "Nodes": [{"Name": "a", "Address": "10.10.10.130", "MemoryMiB": 128}]}}`), 0o600))
	}
	code := a.run(t.Context(), []string{"up", "small", "--seats", "2", "--overcommit"})
	assert.Equal(t, exitError, code)
	assert.Contains(t, talk.String(), `seat-1 | error: bringing up pair "seat-1": it stands, made from another topology`)
	assert.Contains(t, talk.String(), "seat-2 | hint: take the old one down first: labctl down seat-2\n")
	assert.Regexp(t, `(?m)^seat-1  stopped .*\nseat-2  stopped `, out.String())
	assert.NoDirExists(t, privateDir(filepath.Join(state, "pairs", "seat-1")))
}

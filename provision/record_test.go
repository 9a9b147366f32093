package provision

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecordSurvives(t *testing.T) {
	c := pairCluster(t)
	rec, err := c.newRecord()
	require.NoError(t, err)
	read, err := ReadRecord(c.Dir)
	require.NoError(t, err)
	assert.Equal(t, rec, read)
	assert.Equal(t, c.Topology.Fingerprint(), read.Topology.Fingerprint(), "the topology comes back whole")
	info, err := os.Stat(filepath.Join(c.Dir, recordFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds the bootstrap token")
}

func TestNoRecord(t *testing.T) {
	_, err := ReadRecord(t.TempDir())
	assert.ErrorIs(t, err, ErrNotFound)
	records, err := ListRecords(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	assert.Empty(t, records)
}

func TestDamagedRecordIsNamedAndOthersListed(t *testing.T) {
	state := t.TempDir()
	good := Record{Name: "good", Started: time.Unix(1, 0).UTC()}
	require.NoError(t, good.write(filepath.Join(state, "good")))
	require.NoError(t, writeFile(filepath.Join(state, "bad", recordFile), []byte("{"), 0o600))
	records, err := ListRecords(state)
	assert.ErrorContains(t, err, filepath.Join("bad", recordFile))
	require.Len(t, records, 1)
	assert.Equal(t, "good", records[0].Name)
}

func TestSecondUpNamesTheFirst(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir, "pair", "up pair")
	require.NoError(t, err)
	_, err = Lock(dir, "pair", "down pair")
	var busy *BusyError
	require.ErrorAs(t, err, &busy)
	assert.Equal(t, os.Getpid(), busy.PID)
	assert.Contains(t, busy.Error(), "labctl up pair")
	unlock()
	unlock, err = Lock(dir, "pair", "down pair")
	require.NoError(t, err, "free again")
	unlock()
}

package image

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
)

// stampedDatabase has what containerd's databases have: nested buckets,
// sequences, and times of day. Churn leaves free pages behind.
func stampedDatabase(t *testing.T, at time.Time, churn int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "meta.db")
	db, err := bolt.Open(path, 0o644, nil)
	require.NoError(t, err)
	for i := range churn + 1 {
		require.NoError(t, db.Update(func(tx *bolt.Tx) error {
			top, err := tx.CreateBucketIfNotExists([]byte("v1"))
			require.NoError(t, err)
			image, err := top.CreateBucketIfNotExists([]byte("image"))
			require.NoError(t, err)
			require.NoError(t, top.SetSequence(7))
			stamp, err := at.Add(time.Duration(i) * time.Second).MarshalBinary()
			require.NoError(t, err)
			for n := range 200 {
				blob, err := image.CreateBucketIfNotExists([]byte{'b', byte(n)})
				require.NoError(t, err)
				require.NoError(t, blob.Put([]byte("size"), make([]byte, 100)))
			}
			require.NoError(t, image.Put([]byte("createdat"), stamp))
			require.NoError(t, image.Put([]byte("updatedat"), stamp))
			return image.Put([]byte("name"), []byte("pause"))
		}))
	}
	require.NoError(t, db.Close())
	return path
}

func TestSettledDatabasesAreTheSame(t *testing.T) {
	one, other := stampedDatabase(t, time.Unix(100, 5), 0), stampedDatabase(t, time.Unix(200, 6), 9)
	for _, path := range []string{one, other} {
		require.NoError(t, settleDatabase(path, 1000))
	}
	first, err := os.ReadFile(one)
	require.NoError(t, err)
	second, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, first, second)

	db, err := bolt.Open(one, 0o644, &bolt.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.View(func(tx *bolt.Tx) error {
		top := tx.Bucket([]byte("v1"))
		assert.Equal(t, uint64(7), top.Sequence())
		image := top.Bucket([]byte("image"))
		assert.Equal(t, "pause", string(image.Get([]byte("name"))))
		var at time.Time
		require.NoError(t, at.UnmarshalBinary(image.Get([]byte("createdat"))))
		assert.Equal(t, int64(1000), at.Unix())
		return nil
	}))
}

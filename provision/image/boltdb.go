package image

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// settleDatabase writes a containerd database anew: the same keys in order, and
// the epoch for every time. containerd stamps what it stores with the time of
// day; nothing in a guest depends on when that was.
func settleDatabase(path string, epoch int64) error {
	stamp, err := time.Unix(epoch, 0).UTC().MarshalBinary()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	owner := info.Mode().Perm()
	from, err := bolt.Open(path, owner, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	defer from.Close()
	next := path + ".next"
	to, err := bolt.Open(next, owner, &bolt.Options{Timeout: time.Second, PageSize: 4096, NoSync: true})
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	err = from.View(func(source *bolt.Tx) error {
		return source.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			return copyBucket(bucket, to, [][]byte{name}, stamp)
		})
	})
	if err == nil {
		err = to.Sync()
	}
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	return os.Rename(next, path)
}

// copyBucket copies a bucket, whose place in the other database is path, and
// those inside. Each gets a transaction of its own: bolt writes the buckets that
// one transaction has touched in no particular order.
func copyBucket(from *bolt.Bucket, to *bolt.DB, path [][]byte, stamp []byte) error {
	err := to.Update(func(tx *bolt.Tx) error {
		target, err := tx.CreateBucketIfNotExists(path[0])
		for _, name := range path[1:] {
			if err == nil {
				target, err = target.CreateBucketIfNotExists(name)
			}
		}
		if err != nil {
			return err
		}
		if err := target.SetSequence(from.Sequence()); err != nil {
			return err
		}
		return from.ForEach(func(key, value []byte) error {
			switch {
			case value == nil:
				return nil
			case bytes.Equal(key, []byte("createdat")), bytes.Equal(key, []byte("updatedat")):
				return target.Put(key, stamp)
			}
			return target.Put(key, value)
		})
	})
	if err != nil {
		return err
	}
	return from.ForEachBucket(func(name []byte) error {
		return copyBucket(from.Bucket(name), to, append(slices.Clone(path), name), stamp)
	})
}

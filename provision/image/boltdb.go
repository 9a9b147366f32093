package image

import (
	"bytes"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
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
	to, err := bolt.Open(next, owner, &bolt.Options{Timeout: time.Second, PageSize: unix.Getpagesize()})
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	err = from.View(func(source *bolt.Tx) error {
		return to.Update(func(target *bolt.Tx) error {
			return source.ForEach(func(name []byte, bucket *bolt.Bucket) error {
				copied, err := target.CreateBucket(name)
				if err != nil {
					return err
				}
				return copyBucket(bucket, copied, stamp)
			})
		})
	})
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("settling database %q: %w", path, err)
	}
	return os.Rename(next, path)
}

func copyBucket(from, to *bolt.Bucket, stamp []byte) error {
	if err := to.SetSequence(from.Sequence()); err != nil {
		return err
	}
	return from.ForEach(func(key, value []byte) error {
		if value == nil {
			bucket, err := to.CreateBucket(key)
			if err != nil {
				return err
			}
			return copyBucket(from.Bucket(key), bucket, stamp)
		}
		if bytes.Equal(key, []byte("createdat")) || bytes.Equal(key, []byte("updatedat")) {
			value = stamp
		}
		return to.Put(key, value)
	})
}

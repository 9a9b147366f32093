package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"labctl/provision"
)

// Pairs of several state folders may stand on the images of one cache. Each `up`
// leaves a note in the cache that says where its pair's record is; whether the
// pair still stands on an image is asked of that record.

// noteImageUser leaves the note.
func (a *app) noteImageUser(pairDir string) error {
	cache, err := a.cacheDir()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(pairDir))
	path := filepath.Join(cache, "users", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("noting who uses an image: %w", err)
	}
	if err := os.WriteFile(path, []byte(pairDir), 0o644); err != nil {
		return fmt.Errorf("noting who uses an image: %w", err)
	}
	return nil
}

// imageUse tells which pairs stand on which image: those of this state folder by
// name, others by folder. Records that cannot be read are in the error; what they
// stand on is not known.
func (a *app) imageUse() (map[string][]string, error) {
	used := map[string][]string{}
	own := map[string]bool{}
	records, damaged := a.pairs()
	for _, r := range records {
		dir, err := a.pairDir(r.Name)
		if err != nil {
			return nil, err
		}
		own[dir] = true
		used[r.Image.ID] = append(used[r.Image.ID], r.Name)
	}
	cache, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	notes, err := filepath.Glob(filepath.Join(cache, "users", "*"))
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		dir, err := os.ReadFile(note)
		if errors.Is(err, fs.ErrNotExist) || own[string(dir)] {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading who uses an image: %w", err)
		}
		rec, err := provision.ReadRecord(string(dir))
		if errors.Is(err, provision.ErrNotFound) {
			_ = os.Remove(note) // its pair is down
			continue
		}
		if err != nil {
			damaged = errors.Join(damaged, err)
			continue
		}
		used[rec.Image.ID] = append(used[rec.Image.ID], string(dir))
	}
	return used, damaged
}

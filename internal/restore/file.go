package restore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Save writes a fingerprint to a file, in place of one that is there. It is on
// the disk when this returns, for its owner only.
func Save(path string, f Fingerprint) error {
	if err := writeJSON(path, f); err != nil {
		return fmt.Errorf("saving fingerprint: %w", err)
	}
	return nil
}

// Load reads a fingerprint from a file. One without sections is damaged: it
// would differ from nothing, or from everything.
func Load(path string) (Fingerprint, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("loading fingerprint: %w", err)
	}
	var f Fingerprint
	if err := json.Unmarshal(content, &f); err != nil {
		return Fingerprint{}, fmt.Errorf("loading fingerprint %q: %w", path, err)
	}
	if len(f.Sections) == 0 {
		return Fingerprint{}, fmt.Errorf("loading fingerprint %q: it has no sections", path)
	}
	return f, nil
}

// writeJSON replaces a file atomically and durably; its folder must exist.
func writeJSON(path string, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already once it was renamed
	_, err = temp.Write(append(content, '\n'))
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err == nil {
		err = syncFolder(dir)
	}
	return err
}

// syncFolder makes sure that a name which came or went is on the disk.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

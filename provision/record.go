package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"labctl/internal/durable"
	"labctl/topology"
)

// Record is what the pair's folder remembers. It is written, and synced to
// disk, before the first object is made, so that a crash never leaves an object
// that nothing knows of.
type Record struct {
	Name string `json:"name"`
	// Owner marks the objects of this very pair: its name, a dot, and eight
	// random digits. Another labctl may have a pair of the same name.
	Owner       string            `json:"owner"`
	Topology    topology.Topology `json:"topology"`
	Fingerprint string            `json:"fingerprint"`
	Image       Image             `json:"image"`
	Hypervisor  string            `json:"hypervisor"`
	Accelerator Accelerator       `json:"accelerator"` // empty until the hypervisor was asked
	TSCKHz      int               `json:"tscKHz,omitempty"`
	// Objects that were or are about to be made.
	Objects []Object `json:"objects"`
	// Done are the steps of the provisioning plan that passed.
	Done []string `json:"done,omitempty"`
	// Token is kubeadm's bootstrap token.
	Token string `json:"token,omitempty"`
	// Started is when up began, Ready when the last rung was climbed and the
	// checkpoint taken; zero until then.
	Started time.Time `json:"started"`
	Ready   time.Time `json:"ready"`
	// Checkpoint says that reset can revert.
	Checkpoint bool `json:"checkpoint"`
}

const recordFile = "pair.json"

// unready forgets what was done to the nodes. It is written before anything is
// taken from them, so that a crash in between never leaves a record of steps
// that were done on disks that are gone.
func (r Record) unready(dir string) (Record, error) {
	r.Done, r.Checkpoint, r.Ready = nil, false, time.Time{}
	return r, r.write(dir)
}

// ReadRecord reads the record of the pair in this folder; ErrNotFound if there
// is none.
func ReadRecord(dir string) (Record, error) {
	path := filepath.Join(dir, recordFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("reading record %q: %w", path, ErrNotFound)
	}
	if err != nil {
		return Record{}, fmt.Errorf("reading record: %w", err)
	}
	var r Record
	if err := json.Unmarshal(content, &r); err != nil {
		return Record{}, &DamagedError{Pair: filepath.Base(dir), Path: path, Err: err}
	}
	return r, nil
}

// DamagedError says that a pair's record is there and cannot be understood.
type DamagedError struct {
	Pair, Path string
	Err        error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("reading record %q of pair %q: %v", e.Path, e.Pair, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Hint says how to be rid of it.
func (e *DamagedError) Hint() string {
	return fmt.Sprintf("labctl down %s takes that pair down by what its hypervisor has", e.Pair)
}

// write replaces the record in the folder, whole or not at all.
func (r Record) write(dir string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing record of %q: %w", r.Name, err)
	}
	return writeFile(filepath.Join(dir, recordFile), append(content, '\n'), 0o600)
}

// writeFile replaces a file durably, in a folder that is made if there is none.
func writeFile(path string, content []byte, mode fs.FileMode) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = durable.WriteFile(path, content, mode)
	}
	if err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	return nil
}

// ListRecords returns the records of all pairs below a state folder, by name.
// A folder that cannot be read is in the error, the others are returned.
func ListRecords(stateDir string) ([]Record, error) {
	entries, err := os.ReadDir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing pairs: %w", err)
	}
	var (
		records []Record
		errs    error
	)
	for _, e := range entries {
		r, err := ReadRecord(filepath.Join(stateDir, e.Name()))
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			errs = errors.Join(errs, err)
		default:
			records = append(records, r)
		}
	}
	return records, errs
}

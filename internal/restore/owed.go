package restore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"labctl/internal/durable"
)

// Owed is the record that a lab has begun on a pair, which therefore still has
// to be put back. It is written before the first step and cleared after a
// comparison that found no difference, so it survives whatever ends the process.
type Owed struct {
	// Lab is the lab's name, Run the folder of its run.
	Lab string `json:"lab"`
	Run string `json:"run"`
	// Started is when the run began.
	Started time.Time `json:"started"`
	// PID is the process that runs, or ran, it. The pair's lock tells which; a
	// number may be given again.
	PID  int    `json:"pid"`
	Pair string `json:"pair"`
}

// owedFile is its name in the pair's folder.
const owedFile = "owed.json"

// WriteOwed writes the record into a pair's folder, in place of one that is
// there. It is on the disk when this returns.
func WriteOwed(dir string, o Owed) error {
	if o.Lab == "" || o.Pair == "" {
		return fmt.Errorf("writing owed record: it names no lab or no pair: %+v", o)
	}
	if err := writeJSON(filepath.Join(dir, owedFile), o); err != nil {
		return fmt.Errorf("writing owed record: %w", err)
	}
	return nil
}

// ReadOwed reads the record in a pair's folder; nil says that nothing is owed. A
// record that cannot be read is an OwedDamagedError: something is owed, and
// nobody knows what.
func ReadOwed(dir string) (*Owed, error) {
	path := filepath.Join(dir, owedFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading owed record: %w", err)
	}
	var o Owed
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	err = d.Decode(&o)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows it")
	}
	if err == nil && (o.Lab == "" || o.Pair == "") {
		err = errors.New("it names no lab or no pair")
	}
	if err != nil {
		return nil, &OwedDamagedError{Path: path, Err: err}
	}
	return &o, nil
}

// ClearOwed removes the record from a pair's folder: the pair is as it was. One
// that is not there is no error.
func ClearOwed(dir string) error {
	err := durable.Remove(filepath.Join(dir, owedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clearing owed record: %w", err)
	}
	return nil
}

// OwedDamagedError says that there is a record nobody can read.
type OwedDamagedError struct {
	Path string
	Err  error
}

func (e *OwedDamagedError) Error() string {
	return fmt.Sprintf("reading owed record %q: %v", e.Path, e.Err)
}

func (e *OwedDamagedError) Unwrap() error { return e.Err }

// Hint names the way back to a known state that needs no record.
func (e *OwedDamagedError) Hint() string {
	return fmt.Sprintf("a lab was begun and the pair was not put back: take it back to its checkpoint (labctl reset %s), then remove %s", filepath.Base(filepath.Dir(e.Path)), e.Path)
}

package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// Files of a run's folder.
const (
	LabFile      = "lab.yaml"
	TopologyFile = "topology.json"
	JournalFile  = "journal.jsonl"
	BaselineFile = "baseline.json"
	rawDir       = "raw"
	latestLink   = "latest"
)

// stampFormat is how a run's folder says when it began, in UTC.
const stampFormat = "20060102T150405Z"

// Folder is the folder of one run: what was run, frozen, the journal, and every
// stream as it came. Reports are made from it.
type Folder struct {
	Path string

	mu  sync.Mutex
	raw int
}

// NewFolder makes the folder runs/LAB/TIME below a state folder, readable by its
// owner only, and lets runs/LAB/latest lead to it. Two runs that begin in the
// same second get different ones.
func NewFolder(runs, lab string, begun time.Time) (*Folder, error) {
	parent := filepath.Join(runs, lab)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("making run folder: %w", err)
	}
	stamp := begun.UTC().Format(stampFormat)
	for n := 1; ; n++ {
		name := stamp
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stamp, n)
		}
		path := filepath.Join(parent, name)
		err := os.Mkdir(path, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Mkdir(filepath.Join(path, rawDir), 0o700)
		}
		if err != nil {
			return nil, fmt.Errorf("making run folder: %w", err)
		}
		return &Folder{Path: path}, point(parent, name)
	}
}

// point lets the link lead to a new run, whole or not at all.
func point(parent, name string) error {
	link := filepath.Join(parent, "."+latestLink+"-"+name)
	err := os.Symlink(name, link)
	if err == nil {
		err = os.Rename(link, filepath.Join(parent, latestLink))
	}
	if err != nil {
		return fmt.Errorf("linking the latest run: %w", err)
	}
	return nil
}

// OpenFolder opens the folder of a run that there is. A link is followed once, now:
// what is read later is of the same run, though latest may lead to a new one by then.
func OpenFolder(path string) (*Folder, error) {
	if run, err := filepath.EvalSymlinks(path); err == nil {
		path = run
	}
	if _, err := os.Stat(filepath.Join(path, JournalFile)); err != nil {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	entries, err := os.ReadDir(filepath.Join(path, rawDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening run %q: %w", path, err)
	}
	return &Folder{Path: path, raw: len(entries)}, nil
}

// File is the path of a file of the run.
func (f *Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Write writes a file of the run once.
func (f *Folder) Write(name string, content []byte) error {
	if err := os.WriteFile(f.File(name), content, 0o600); err != nil {
		return fmt.Errorf("writing run file: %w", err)
	}
	return nil
}

// Journal opens the run's journal for appending.
func (f *Folder) Journal() (*File, error) { return Open(f.File(JournalFile)) }

// Events reads the run's journal.
func (f *Folder) Events() ([]Event, error) { return Read(f.File(JournalFile)) }

var odd = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

// KeepRaw writes a stream as raw bytes and returns the file's name in the
// folder. Names sort in the order of the run.
func (f *Folder) KeepRaw(label string, content []byte) (string, error) {
	f.mu.Lock()
	f.raw++
	name := fmt.Sprintf("%s/%04d-%s", rawDir, f.raw, odd.ReplaceAllString(label, "_"))
	f.mu.Unlock()
	return name, f.Write(name, content)
}

// Raw returns a stream as it came: from its file if there is one, else what the
// event holds.
func (f *Folder) Raw(file, inline string) ([]byte, error) {
	if file == "" {
		return []byte(inline), nil
	}
	if !filepath.IsLocal(file) {
		return nil, fmt.Errorf("reading stream %q: the name leads out of the run's folder", file)
	}
	content, err := os.ReadFile(f.File(file))
	if err != nil {
		return nil, fmt.Errorf("reading stream: %w", err)
	}
	return content, nil
}

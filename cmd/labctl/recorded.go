package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"labctl/internal/journal"
)

// openRun opens a recorded run: a folder, LAB for the lab's latest run, or
// LAB/TIME, which is what the reports call it.
func (a *app) openRun(name string) (*journal.Folder, error) {
	if _, err := os.Stat(filepath.Join(name, journal.JournalFile)); err == nil {
		return journal.OpenFolder(name)
	}
	runs, err := a.runsDir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(runs, name)
	if !filepath.IsLocal(name) {
		path = name
	} else if filepath.Dir(name) == "." {
		path = filepath.Join(path, "latest")
	}
	folder, err := journal.OpenFolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noRunError{name, runs}
	}
	return folder, err
}

type noRunError struct{ name, runs string }

func (e noRunError) Error() string { return fmt.Sprintf("opening run %q: there is none", e.name) }
func (e noRunError) Hint() string {
	return fmt.Sprintf("name a lab for its latest run, LAB/TIME, or a folder; the runs are in %s", e.runs)
}

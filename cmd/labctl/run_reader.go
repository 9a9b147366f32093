package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"labctl/internal/compare"
	"labctl/internal/journal"
	"labctl/internal/lab"
)

// runReader reads recorded runs to compare them. The same file of a lab lies in
// the folders of many runs, and is loaded once.
type runReader struct {
	mu     sync.Mutex
	limits map[string]func() map[string]compare.Limit // by the file's hash
}

func newRunReader() *runReader {
	return &runReader{limits: map[string]func() map[string]compare.Limit{}}
}

// all reads the outlines of runs, several at once, in the order of their paths.
func (r *runReader) all(ctx context.Context, paths []string) ([]compare.Run, error) {
	runs := make([]compare.Run, len(paths))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			runs[i] = r.outline(path)
			<-slots
		})
	}
	wait.Wait()
	return runs, context.Cause(ctx)
}

// outline reads how a run went, as far as that can be read.
func (r *runReader) outline(path string) compare.Run {
	events, err := journal.ReadOutline(filepath.Join(path, journal.JournalFile))
	run := r.of(path, events)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		run.Damage = "it has no journal"
	case err != nil:
		run.Damage = strings.ReplaceAll(err.Error(), path+string(filepath.Separator), "")
	}
	return run
}

// of is the run with these events.
func (r *runReader) of(path string, events []journal.Event) compare.Run {
	run := compare.Run{Folder: path, Result: journal.Fold(events)}
	if len(events) == 0 {
		run.Damage = "its journal is empty"
	}
	if _, err := os.Stat(filepath.Join(path, sabotageFile)); err == nil {
		run.Sabotage = true
	}
	content, err := os.ReadFile(filepath.Join(path, journal.LabFile))
	if err != nil {
		return run // one that was collected may lack it
	}
	hash := sha256.Sum256(content)
	run.File = hex.EncodeToString(hash[:6])
	run.Limits = r.limitsOf(run.File, content)
	return run
}

// limitsOf loads a lab's file for its limits. One that was valid once may be no
// more: it has none that are known.
func (r *runReader) limitsOf(hash string, content []byte) map[string]compare.Limit {
	r.mu.Lock()
	load, known := r.limits[hash]
	if !known {
		load = sync.OnceValue(func() map[string]compare.Limit {
			l, err := lab.Parse(journal.LabFile, content)
			if err != nil {
				return nil
			}
			all := map[string]compare.Limit{}
			for _, p := range l.Plans() {
				for id, limit := range compare.Limits(p.Steps) {
					all[id] = limit
				}
			}
			return all
		})
		r.limits[hash] = load
	}
	r.mu.Unlock()
	return load()
}

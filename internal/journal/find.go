package journal

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"time"
)

// stamped is the name of a run's folder: when it began, and which it is of those
// that began in the same second.
var stamped = regexp.MustCompile(`^(\d{8}T\d{6}Z)(-\d+)?$`)

// Find returns the folders of all runs below a folder, in the order of their
// paths. Those are the ones with a journal, and those called as NewFolder calls
// them, which may have none yet, or may not be readable. Links below it are not
// followed: the one to the latest run leads to a folder that is found anyway.
func Find(root string) ([]string, error) {
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	var found []string
	err = filepath.WalkDir(resolved, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == resolved:
			return err
		case err != nil:
			return nil // a run's folder is found by its name already, another is none of ours
		case entry.IsDir() && stamped.MatchString(entry.Name()):
			found = append(found, path)
		case !entry.IsDir() && entry.Name() == JournalFile:
			if dir := filepath.Dir(path); !stamped.MatchString(filepath.Base(dir)) {
				found = append(found, dir)
			}
		case entry.IsDir() && entry.Name() == rawDir:
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	return found, nil
}

// Stamp is when a run began by the name of its folder, in UTC to the second; the
// zero time if it has another name.
func Stamp(path string) time.Time {
	parts := stamped.FindStringSubmatch(filepath.Base(path))
	if parts == nil {
		return time.Time{}
	}
	begun, _ := time.Parse(stampFormat, parts[1]) // digits that are no time are the zero time
	return begun
}

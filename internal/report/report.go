// Package report tells people and programs what became of a run. It sees a
// journal.Result and nothing else: the same result is the same text, today and
// when `labctl report` makes it again years later.
//
// Whatever a guest printed is taken for hostile. It is shown in full view, with
// what is invisible made visible, and never as markup.
package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"labctl/internal/durable"
	"labctl/internal/journal"
)

// The files of a run's folder that Write makes.
const (
	HTMLFile     = "report.html"
	JUnitFile    = "junit.xml"
	JSONFile     = "result.json"
	MarkdownFile = "report.md"
)

// Write makes all reports of a run in dir, which it makes if there is none
// (0700; files 0600). Each file is replaced whole or not at all. A report that
// cannot be made keeps none of the others from being made; the error joins what
// went wrong with each.
func Write(dir string, r journal.Result) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of reports: %w", err)
	}
	var errs []error
	for _, f := range []struct {
		name string
		make func(journal.Result) ([]byte, error)
	}{
		{JSONFile, JSON},
		{JUnitFile, JUnit},
		{MarkdownFile, func(r journal.Result) ([]byte, error) { return []byte(Markdown(r)), nil }},
		{HTMLFile, HTML},
	} {
		content, err := f.make(r)
		if err == nil {
			err = durable.WriteFile(filepath.Join(dir, f.name), content, 0o600)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", f.name, err))
		}
	}
	return errors.Join(errs...)
}

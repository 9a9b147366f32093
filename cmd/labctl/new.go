package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/draft"
	"labctl/labs"
	"labctl/topology"
)

func (a *app) newCommand() *cobra.Command {
	var from, folder string
	cmd := &cobra.Command{
		Use:   "new LAB --from WRITEUP",
		Short: "Draft a lab from a write-up's commands",
		Long: `Make the first file of a lab from a write-up, Markdown (.md) or plain text: each
piece of code is a step, on the node that the text around it names, with the
script as it is written. Output that the write-up shows stands behind its step as
a comment, to be made a check, and so does each sentence that reads like an
expectation, to be made a claim. The file loads right away; its TODOs say what to
do next. No file is overwritten.`,
		Example: "  labctl new my-lab --from post.md\n  labctl new my-lab --from post.txt --folder labs",
		Args:    exactly("LAB"),
		RunE: func(_ *cobra.Command, args []string) error {
			if from == "" {
				return usagef("--from WRITEUP.md", "drafting lab %q: no write-up is named", args[0])
			}
			return a.newLab(args[0], from, folder)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the write-up, a `FILE` of Markdown (.md) or plain text")
	cmd.Flags().StringVar(&folder, "folder", ".", "make the lab's own folder in this `FOLDER`")
	return cmd
}

// thereError says that a lab's file is there already.
type thereError struct{ file string }

func (e thereError) Error() string { return fmt.Sprintf("writing %q: it is there already", e.file) }
func (e thereError) Hint() string  { return "choose another name, or --folder" }

// labNameError says that no lab can have that name.
type labNameError struct {
	name string
	err  error
}

func (e labNameError) Error() string { return fmt.Sprintf("drafting lab: %v", e.err) }
func (e labNameError) Unwrap() error { return e.err }
func (e labNameError) Hint() string {
	like := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(filepath.Base(e.name)), "-"), "-")
	if topology.CheckName(like) != nil {
		like = "my-lab"
	}
	hint := "call it " + like
	if dir := filepath.Dir(e.name); dir != "." {
		hint += ", and say where with --folder " + dir
	}
	return hint
}

var notInNames = regexp.MustCompile("[^a-z0-9]+")

func (a *app) newLab(name, from, folder string) error {
	if err := topology.CheckName(name); err != nil {
		return labNameError{name, err}
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading write-up: %w", err)
	}
	file, err := draft.Lab(name, from, text)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name, labs.FileName)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making lab's folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return thereError{path}
	}
	if err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	_, err = f.Write(file)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	fmt.Fprintln(a.stdout, path)
	fmt.Fprintf(a.stderr, "next: read its TODOs, then: labctl lint %s\n", nameable(filepath.Dir(path)))
	return nil
}

// nameable is a folder as a lab is named on the command line: with a slash.
func nameable(folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return "." + string(filepath.Separator) + folder
}

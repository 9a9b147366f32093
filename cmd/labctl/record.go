package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"labctl/internal/durable"
	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/propose"
	"labctl/labs"
	"labctl/topology"
)

type recordOptions struct {
	yes, dryRun bool
	also        []string // further runs
}

func (a *app) recordCommand() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record LAB [RUN]",
		Short: "Make a lab expect what a recorded run has shown",
		Long: `Propose expectations from what a run has printed, its latest one if none is
named, for the steps of a lab that have neither checks nor claims, and for those
whose checks do not hold. Each is shown as a difference of the lab's file, and
written there if you say y; n leaves the step, q ends. No machine is asked.

Expected lines that still fit stay as they are written. What varies is no part of
an expectation: times, process ids, names that are made up, addresses of Pods; an
address that a variable has becomes ${NAME}. One run cannot show all of it: with
--also a proposal holds for another run, too. Claims are never touched: what the
write-up says is not for a run to change.`,
		Example: "  labctl record ./my-lab\n  labctl record ./my-lab my-lab/20260102T030405Z --dry-run",
		Args:    between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.yes && o.dryRun {
				return usagef("leave out one of them", "recording: both --yes and --dry-run")
			}
			file, err := labPath(args[0])
			if err != nil {
				return err
			}
			folder, err := a.runOf(file, args[1:])
			if err != nil {
				return err
			}
			return a.recordLab(cmd.Context(), file, folder, o)
		},
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "write all proposals")
	cmd.Flags().StringArrayVar(&o.also, "also", nil, "another `RUN`, to see what varies from run to run; may be repeated")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show all proposals, and write none")
	return cmd
}

// catalogueError says that a lab of the catalogue is no file that could be edited.
type catalogueError struct{ name string }

func (e catalogueError) Error() string {
	return fmt.Sprintf("opening the file of lab %q: the catalogue is part of labctl", e.name)
}
func (e catalogueError) Hint() string {
	return "name the lab's file or folder, with a slash: ./" + e.name
}

// labPath is the path of a lab's file, as labs.Open takes it. The file need not
// hold a lab that loads.
func labPath(name string) (string, error) {
	if !topology.IsPath(name) {
		if labs.Folder(name) == "" {
			_, err := labs.Open(name)
			return "", err
		}
		return "", catalogueError{name}
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		name = filepath.Join(name, labs.FileName)
		_, err = os.Stat(name)
	}
	if err != nil {
		return "", fmt.Errorf("reading lab: %w", err)
	}
	return name, nil
}

// runOf opens the run that is named, else the latest of a lab's file.
func (a *app) runOf(file string, named []string) (*journal.Folder, error) {
	if len(named) > 0 {
		return a.openRun(named[0])
	}
	l, err := labs.Open(file)
	if err != nil {
		return nil, err
	}
	return a.openRun(l.Name)
}

// recordLab goes through what a run has shown and writes what is accepted, each
// proposal at once.
func (a *app) recordLab(ctx context.Context, file string, folder *journal.Folder, o recordOptions) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading lab: %w", err)
	}
	var further []*journal.Folder
	for _, name := range o.also {
		f, err := a.openRun(name)
		if err != nil {
			return err
		}
		further = append(further, f)
	}
	s, err := propose.Open(file, content, folder, further...)
	if err != nil {
		return err
	}
	answers := bufio.NewReader(a.stdin)
	proposed, written := 0, 0
	var left leftover
	for ctx.Err() == nil {
		p, more, err := s.Next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		left.add(p)
		if p.File == nil {
			continue
		}
		proposed++
		fmt.Fprintf(a.stdout, "%s: %s\n%s", p.Step, p.Title, difference(file, s.File(), p.File))
		if o.dryRun {
			s.Accept(p) // so that the next difference is of what it would be
			continue
		}
		answer := "y"
		if !o.yes {
			answer = a.ask(ctx, answers)
		}
		if answer == "q" {
			break
		}
		if answer == "y" {
			if err := a.rewrite(file, s.File(), p.File); err != nil {
				return err
			}
			s.Accept(p)
			written++
		}
	}
	left.tell(a.stderr)
	switch {
	case proposed == 0:
		fmt.Fprintln(a.stderr, "nothing to propose")
	case o.dryRun:
		fmt.Fprintf(a.stderr, "%d proposed, none written\n", proposed)
	default:
		fmt.Fprintf(a.stderr, "%d of %d written to %s\n", written, proposed, file)
	}
	return context.Cause(ctx)
}

// recordRun is recordLab for a run that has just ended.
func (a *app) recordRun(ctx context.Context, file, run string) error {
	folder, err := a.openRun(run)
	if err != nil {
		return err
	}
	return a.recordLab(ctx, file, folder, recordOptions{})
}

// difference shows a change as a unified diff.
func difference(file string, old, changed []byte) string {
	all := string(diff.Diff(file, old, file, changed))
	if _, rest, ok := strings.Cut(all, "\n"); ok {
		return rest // without the line that repeats the names
	}
	return all
}

// ask reads y, n or q; the end of the input, and an interrupt, is q.
func (a *app) ask(ctx context.Context, answers *bufio.Reader) string {
	for {
		fmt.Fprint(a.stderr, "write it? [y/n/q] ")
		type answer struct {
			line string
			err  error
		}
		came := make(chan answer, 1)
		go func() {
			line, err := answers.ReadString('\n')
			came <- answer{line, err}
		}()
		var got answer
		select {
		case got = <-came:
		case <-ctx.Done():
			return "q"
		}
		switch word := strings.ToLower(strings.TrimSpace(got.line)); word {
		case "y", "n", "q":
			return word
		case "yes", "no", "quit":
			return word[:1]
		}
		if got.err != nil {
			fmt.Fprintln(a.stderr)
			return "q"
		}
	}
}

// changedError says that somebody else has written the file meanwhile.
type changedError struct{ file string }

func (e changedError) Error() string {
	return fmt.Sprintf("writing %q: it has changed since it was read", e.file)
}
func (e changedError) Hint() string { return "run it again" }

// rewrite replaces a file whole, unless it is not as it was.
func (a *app) rewrite(file string, old, changed []byte) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	if now, err := os.ReadFile(target); err != nil || string(now) != string(old) {
		return errors.Join(err, changedError{file})
	}
	if _, err := lab.Parse(file, changed); err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	if err := durable.WriteFile(target, changed, info.Mode().Perm()); err != nil {
		return fmt.Errorf("writing lab: %w", err)
	}
	return nil
}

// leftover is what the author must see to: which steps for which reason.
type leftover struct {
	reasons []string
	steps   map[string][]string
}

func (l *leftover) add(p propose.Proposal) {
	for _, why := range p.Left {
		if l.steps == nil {
			l.steps = map[string][]string{}
		}
		if l.steps[why] == nil {
			l.reasons = append(l.reasons, why)
		}
		l.steps[why] = append(l.steps[why], p.Step)
	}
}

func (l *leftover) tell(w io.Writer) {
	for _, why := range l.reasons {
		fmt.Fprintf(w, "left: %s: %s\n", strings.Join(l.steps[why], ", "), why)
	}
}

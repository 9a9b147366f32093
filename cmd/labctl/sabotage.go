package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/labrun"
	"labctl/labs"
)

// sabotageFile is where a run's folder keeps what became of the acts.
const sabotageFile = "sabotage.json"

// sabotageActs are a lab's acts, and those of them that are to be tried.
type sabotageActs struct{ all, chosen lab.Sabotage }

// actsOf reads them; no machine is asked, so that a slip costs nothing.
func (o *runOptions) actsOf(name string, l lab.Lab) (acts sabotageActs, err error) {
	if !o.sabotage {
		return acts, nil
	}
	if acts.all, err = labs.Sabotage(name, l); err == nil {
		acts.chosen, err = acts.all.Only(o.acts)
	}
	return acts, err
}

// sabotage runs a lab, and breaks the cluster on purpose after each step that
// must notice.
func (a *app) sabotage(ctx context.Context, r *labrun.Runner, s labrun.Source, acts sabotageActs, o runOptions) (journal.Result, error) {
	result, tried, dir, err := r.Sabotage(ctx, s, acts.chosen, o.Options)
	if dir == "" {
		return result, err
	}
	a.summary(result, dir, r.Place.Hosts, o.output)
	content, jsonErr := json.MarshalIndent(tried, "", "  ")
	if jsonErr == nil {
		jsonErr = os.WriteFile(filepath.Join(dir, sabotageFile), append(content, '\n'), 0o600)
	}
	if err == nil {
		err = jsonErr
	}
	caught := 0
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nACT\tSTEP\tVERDICT\tWHY")
	for _, t := range tried {
		if t.Verdict == labrun.ActCaught {
			caught++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Act, t.Step, t.Verdict, t.Detail)
	}
	if flushErr := w.Flush(); err == nil {
		err = flushErr
	}
	fmt.Fprintf(a.stdout, "\nsabotage: %d caught of %d tried\n", caught, len(tried))
	if len(o.acts) > 0 {
		fmt.Fprintf(a.stdout, "of %d acts in all\n", len(acts.all.Acts))
	}
	for _, left := range acts.all.Uncaught(s.Lab) {
		fmt.Fprintf(a.stdout, "no act for %s\n", left)
	}
	if caught < len(tried) && result.ExitCode == exitOK {
		result.ExitCode = exitFailed
	}
	return result, err
}

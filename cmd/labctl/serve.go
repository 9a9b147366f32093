package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// serveOptions say how a run is shown on a page.
type serveOptions struct {
	listen string
	every  time.Duration
	exit   bool
	follow string
}

func (a *app) serveCommand() *cobra.Command {
	var run runOptions
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve LAB | --follow RUN",
		Short: "Run a lab, or follow a run, on a page in the browser",
		Long: `Run a lab as "labctl run" does, and show it meanwhile on a page of this machine's
own, in big type for a projector: the steps, what is expected of each beside what
came, the verdicts, and both nodes' rules and connections as they change. The
page's address, with a token that it needs, is told on standard error. It works
without a network, and by the keyboard alone; ? lists the keys. When the run is
over the page stays until Ctrl-C. With --step you lead from the terminal, and the
page follows.

With --follow it shows a run that another labctl does, or one that has ended: a
lab's name (its latest run), LAB/TIME, or a folder. Nothing is run then.

The nodes are looked at beside the run, on connections of their own, with commands
that only read. It costs them little, and is no part of the run's record; --every
0 leaves it out. Only this machine can reach the page.

Ctrl-C while the lab runs is that of "labctl run". The exit code is the run's, of
--follow 0.`,
		Example: `  labctl serve conntrack-reset
  labctl serve conntrack-reset --step --every 5s
  labctl serve --follow conntrack-reset
  ssh -L 8000:127.0.0.1:8000 HOST labctl serve conntrack-reset --listen 127.0.0.1:8000`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.every < 0:
				return usagef("--every 3s, or 0 for never", "looking at nodes every %s", o.every)
			case o.follow == "" && len(args) == 0:
				return usagef("labctl serve LAB, or labctl serve --follow RUN", "serving a run: neither a lab nor a run is named")
			case o.follow != "" && len(args) > 0:
				return usagef("leave out one of them", "serving a run: both a lab and --follow")
			case o.follow != "":
				return a.serveFollowed(cmd.Context(), run.placeOptions, o)
			}
			return a.serveRun(cmd.Context(), args, run, o)
		},
	}
	runFlags(cmd, &run)
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`ADDRESS` of this machine's own and port; port 0 is any that is free")
	f.DurationVar(&o.every, "every", 3*time.Second, "look at the nodes' rules and connections every so often; 0 for never")
	f.BoolVar(&o.exit, "exit", false, "end when the run has ended")
	f.StringVar(&o.follow, "follow", "", "run nothing, and follow this `RUN`")
	return cmd
}

// serveRun runs a lab and shows it.
func (a *app) serveRun(ctx context.Context, names []string, run runOptions, o serveOptions) error {
	s, err := a.openShow(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	run.shown = s.run
	err = a.runLabs(ctx, names, run)
	if !s.begun || o.exit || ctx.Err() != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "the page stays until Ctrl-C")
	<-ctx.Done()
	return err
}

// serveFollowed shows a run that somebody else does or has done.
func (a *app) serveFollowed(ctx context.Context, place placeOptions, o serveOptions) error {
	folder, err := a.openRun(o.follow)
	if err != nil {
		return err
	}
	events, err := folder.Events()
	if err != nil {
		return err
	}
	if err := undisclosed(events); err != nil {
		return err
	}
	s, err := a.openShow(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	over, broken := s.follow(folder)
	if o.every > 0 {
		defer s.lookOn(ctx, place, events)()
	}
	if !o.exit {
		over = nil
	}
	select {
	case <-over:
		return nil
	case err := <-broken:
		return err
	case <-ctx.Done():
	}
	var by interruptedBy
	if errors.As(context.Cause(ctx), &by) && by.signal == syscall.SIGINT {
		return nil // the way to end it
	}
	return context.Cause(ctx)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/capacity"
	"labctl/provision/private"
)

func (a *app) seatsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "seats",
		Short: "Show the seats there are, what each does and owes",
		Long: `Show the pairs that "labctl up --seats" brought up: whether their nodes run and
answer, since when each was ready, the memory its guests take, which lab or verb
is at work on it, and the lab whose teardown it owes. What guests hold alike counts
once for each of them; the line below says how much of it the kernel shares.`,
		Args: noArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			return a.tellSeats(cmd.Context(), output)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

// seatStatus is a seat's status, what is at work on it and what it takes.
type seatStatus struct {
	Seat     int    `json:"seat"`
	Topology string `json:"topology"`
	pairStatus
	// Doing is who changes it now, Last who did so last, if nobody does.
	Doing *provision.Holder `json:"doing,omitempty"`
	Last  *provision.Holder `json:"last,omitempty"`
	// MemoryMiB is what its guests take, SharedMiB the part that others hold
	// alike and that lies in memory once.
	MemoryMiB int `json:"memoryMiB"`
	SharedMiB int `json:"sharedMiB"`
}

// tellSeats prints the table of seats.
func (a *app) tellSeats(ctx context.Context, output string) error {
	records, damaged := a.pairs()
	records = slices.DeleteFunc(records, func(r provision.Record) bool { return seatNumber(r.Name) == 0 })
	slices.SortFunc(records, func(x, y provision.Record) int { return seatNumber(x.Name) - seatNumber(y.Name) })
	looked, err := a.look(ctx, records)
	err = errors.Join(err, damaged)
	found := make([]seatStatus, len(records)) // an empty list in JSON, not null
	for i, r := range records {
		s := seatStatus{Seat: seatNumber(r.Name), Topology: r.Topology.Name, pairStatus: looked[i]}
		err = errors.Join(err, a.atWork(&s))
		found[i] = s
	}
	if output != plainOutput {
		return errors.Join(a.encode(output, found), err)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.stderr, "no seat is up; bring some up: labctl up pair --seats 2")
		return err
	}
	return errors.Join(a.printSeats(found), err)
}

// atWork fills in who is at work on a seat, and what it takes.
func (a *app) atWork(s *seatStatus) error {
	dir, err := a.pairDir(s.Name)
	if err != nil {
		return err
	}
	switch holder, held := provision.HolderNow(dir); {
	case held:
		s.Doing = &holder
	case holder.PID != 0:
		s.Last = &holder
	}
	use, err := private.Use(privateDir(dir))
	if errors.Is(err, private.ErrNotRoot) {
		return nil // what it takes is not known; that it cannot be opened is told
	}
	s.MemoryMiB, s.SharedMiB = use.ResidentMiB, use.SharedMiB
	return err
}

func (a *app) printSeats(found []seatStatus) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SEAT\tSTATE\tREADY SINCE\tMEMORY\tDOING\tOWES\tIMAGE")
	memory := 0
	for _, s := range found {
		memory += s.MemoryMiB
		ready, owes, doing := "-", "-", "-"
		if !s.Ready.IsZero() {
			ready = s.Ready.Format("2006-01-02 15:04")
		}
		if s.Owed != nil {
			owes = s.Owed.Lab
		}
		if s.Doing != nil {
			doing = s.Doing.Doing + " since " + s.Doing.Since.Format(time.TimeOnly)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.state(), ready, capacity.GiB(s.MemoryMiB), doing, owes, s.Image)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range found {
		if s.Problem != "" {
			fmt.Fprintf(a.stdout, "%s: %s\n", s.Name, s.Problem)
		}
	}
	fmt.Fprintf(a.stdout, "%s of memory in all; %s\n", capacity.GiB(memory), shared(capacity.ReadSharing("/")))
	return nil
}

// state is one word for all nodes where they are alike, else what is wrong.
func (s seatStatus) state() string {
	switch s.Problem {
	case "":
	case notRunning:
		return "stopped"
	default:
		return "out of reach"
	}
	var wrong []string
	for _, n := range s.Nodes {
		switch {
		case n.State != provision.Running:
			wrong = append(wrong, fmt.Sprintf("%s %s", n.Name, n.State))
		case !n.SSH:
			wrong = append(wrong, n.Name+" no ssh")
		}
	}
	switch {
	case len(wrong) > 0:
		return strings.Join(wrong, ", ")
	case s.Ready.IsZero():
		return "not ready"
	}
	return "ready"
}

// shared says what the kernel does about what guests hold alike.
func shared(k capacity.Sharing) string {
	switch {
	case !k.Known:
		return "this kernel does not share what guests hold alike (it has no KSM)"
	case !k.On:
		return "what guests hold alike is not shared: KSM is off, " + capacity.SwitchOn
	}
	return fmt.Sprintf("KSM spares %s of what this machine's guests hold alike", capacity.GiB(k.SavedMiB))
}

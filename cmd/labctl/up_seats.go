package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"labctl/provision/capacity"
	"labctl/provision/image"
	"labctl/provision/private"
	"labctl/topology"
)

// upSeats brings up several pairs alike. What does not fit is refused before
// anything is begun.
func (a *app) upSeats(ctx context.Context, name string, o upOptions) error {
	if err := o.settleSeats(name); err != nil {
		return err
	}
	t, err := topology.Open(name)
	if err != nil {
		return err
	}
	if t.Hosts {
		return hostsExist("bringing up seats of", t.Name, name)
	}
	answer, known, err := a.fit(t, o.seats)
	if err != nil {
		return err
	}
	if o.parallel == 0 {
		o.parallel = capacity.AtOnce(answer.Room.CPUs, capacity.Of(t))
	}
	to := a.stderr
	if o.dryRun {
		to = a.stdout
	}
	if err := printNeed(to, t.Name, answer, o.parallel); err != nil {
		return err
	}
	if answer.Crowded() && emulated(o.accel) {
		fmt.Fprintf(a.stderr, "note: without KVM a pair keeps two CPUs busy, and %d seats share %d: each takes longer\n", o.seats, answer.Room.CPUs)
	}
	if !answer.Fits() {
		if !o.overcommit {
			return capacityError{name, answer}
		}
		fmt.Fprintln(a.stderr, "note: that does not fit, as asked for (--overcommit): guests are killed where memory ends, and stop where the disk does")
	}
	if o.dryRun {
		return nil
	}
	if known < o.seats {
		// One word about it, not one for each seat.
		if _, err := a.findImage(image.Variant{Recipe: t.Image, Kubernetes: o.kubernetes, Kernel: o.kernel}); err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 {
		return private.ErrNotRoot
	}
	code := worst(a.eachSeat(ctx, firstSeats(o.seats), o.parallel, func(ctx context.Context, a *app, seat string) error {
		o := o // each its own
		o.name = seat
		return a.up(ctx, name, o)
	}))
	if ctx.Err() == nil {
		a.warn(a.tellSeats(ctx, plainOutput))
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}

// settleSeats checks what was asked for.
func (o *upOptions) settleSeats(name string) error {
	if o.seats < 1 || o.seats > maxSeat {
		return usagef(fmt.Sprintf("from 1 to %d", maxSeat), "reading --seats %d", o.seats)
	}
	if o.by != "" {
		return usagef("leave out one of them", "choosing pairs: both --seats and --%s", o.by)
	}
	if !slices.Contains([]string{"", "auto", privateName}, o.hypervisor) {
		return usagef(fmt.Sprintf("labctl up %s --seats %d --hypervisor private", name, o.seats),
			"bringing up seats on %q: they all have the same addresses, and on one libvirt their bridges would meet", o.hypervisor)
	}
	return checkParallel(o.parallel)
}

// fit asks whether so many seats fit on this machine beside what is there. known
// is how many of them have a record already.
func (a *app) fit(t topology.Topology, n int) (answer capacity.Answer, known int, err error) {
	room, err := a.room()
	if err != nil {
		return answer, 0, err
	}
	records, damaged := a.pairs()
	a.warn(damaged)
	seats := make([]capacity.Pair, n)
	for i := range seats {
		seats[i] = capacity.Pair{Name: seatName(i + 1), Need: capacity.Of(t)}
	}
	var others []capacity.Pair
	for _, r := range records {
		p, err := a.takes(r)
		if err != nil {
			return answer, 0, err
		}
		if k := seatNumber(r.Name); k > 0 && k <= n {
			seats[k-1] = p
			known++
		} else {
			others = append(others, p)
		}
	}
	return capacity.Judge(room, seats, others), known, nil
}

// capacityError: there is no room for so many seats.
type capacityError struct {
	topology string // as it was named
	capacity.Answer
}

func (e capacityError) Error() string {
	var lacks []string
	if e.LacksMemoryMiB() > 0 {
		lacks = append(lacks, fmt.Sprintf("%s of memory are needed and %s available", capacity.GiB(e.MemoryMiB), capacity.GiB(e.Room.MemoryMiB)))
	}
	if e.LacksDiskMiB() > 0 {
		lacks = append(lacks, fmt.Sprintf("%s of disk are needed and %s free", capacity.GiB(e.DiskMiB), capacity.GiB(e.Room.DiskMiB)))
	}
	return fmt.Sprintf("bringing up %d seats: %s", e.Wanted, strings.Join(lacks, ", "))
}

func (e capacityError) Hint() string {
	switch e.Fit {
	case 0:
		return "not one fits: make room (labctl status shows pairs, labctl image ls images), or say --overcommit"
	case 1:
		return fmt.Sprintf("1 seat fits: labctl up %s --seats 1; or make room, or say --overcommit", e.topology)
	}
	return fmt.Sprintf("%d seats fit: labctl up %s --seats %d; or make room, or say --overcommit", e.Fit, e.topology, e.Fit)
}

// printNeed says what is needed and what there is.
func printNeed(to io.Writer, topology string, n capacity.Answer, parallel int) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "seats\t%d of %s: %d run, %d to start, %d at once\n", n.Wanted, topology, n.Running, n.Wanted-n.Running, parallel)
	others, by := "", ""
	if n.OthersMiB > 0 {
		others = fmt.Sprintf(" (%s of it by other pairs, which run)", capacity.GiB(n.OthersMiB))
	}
	if n.Room.MemoryBy != "" {
		by = " under the limit of control group " + n.Room.MemoryBy
	}
	fmt.Fprintf(w, "memory\t%s needed%s, %s available%s\n", capacity.GiB(n.MemoryMiB), others, capacity.GiB(n.Room.MemoryMiB), by)
	fmt.Fprintf(w, "disk\t%s needed, %s free\n", capacity.GiB(n.DiskMiB), capacity.GiB(n.Room.DiskMiB))
	fmt.Fprintf(w, "CPUs\t%d for %d virtual ones\n", n.Room.CPUs, n.VCPUs)
	return w.Flush()
}

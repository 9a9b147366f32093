package main

import (
	"context"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/provision/doctor"
	"labctl/provision/image"
	"labctl/topology"
)

type doctorOptions struct {
	meant
	kernel, kubernetes, hypervisor, output string
	deep                                   bool
}

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor [TOPOLOGY]",
		Short: "Look for what would keep a pair from coming up here",
		Long: `Look at this machine, change nothing, and say what would keep the pair of a
topology (default "pair") from coming up or its image from being built: rights,
hypervisor, accelerator, memory, space, networks that overlap, programs that are
missing. Each finding that is not ok has one line that mends it.

The exit code is 1 if a finding is bad. With -o json the names of checks
("check") and levels ("ok", "note", "bad") stay the same between releases.`,
		Example: "  labctl doctor\n  labctl doctor --deep -o json\n  labctl doctor --hypervisor qemu:///system",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.doctor(cmd.Context(), firstOr(args, "pair"), o)
		},
	}
	outputFlag(cmd, &o.output)
	f := cmd.Flags()
	nameFlag(cmd, &o.meant, "the topology's name")
	f.StringVar(&o.kernel, "kernel", "", "kernel of the golden image: 6.12, 6.1 or 5.10 (default 6.12)")
	kubernetesFlag(cmd, &o.kubernetes)
	f.StringVar(&o.hypervisor, "hypervisor", doctor.Auto, `"private", a libvirt URI, or "auto"`)
	f.BoolVar(&o.deep, "deep", false, "read the whole image and compare its checksums")
	return cmd
}

func (a *app) doctor(ctx context.Context, name string, o doctorOptions) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	q, err := a.doctorQuestion(ctx, name, o)
	if err != nil {
		return err
	}
	dir, err := a.pairDir(q.Pair)
	if err != nil {
		return err
	}
	m, err := doctor.This(q, func(ctx context.Context, where string) (provision.Facts, error) {
		return a.facts(ctx, where, dir)
	})
	if err != nil {
		return err
	}
	found := doctor.Examine(ctx, m)
	if err := a.printFindings(found, o.output); err != nil {
		return err
	}
	if doctor.Worst(found) == doctor.Bad {
		return exitCode(exitFailed)
	}
	return nil
}

// doctorQuestion works out what `up` with the same arguments would need.
func (a *app) doctorQuestion(ctx context.Context, name string, o doctorOptions) (doctor.Question, error) {
	t, err := topology.Open(name)
	if err != nil {
		return doctor.Question{}, err
	}
	if t.Hosts {
		return doctor.Question{}, usagef("doctor looks at the machine that a pair would run on", "examining topology %q: its hosts exist already", t.Name)
	}
	if o.name == "" {
		o.name = t.Name
	}
	if o.hypervisor == "" {
		o.hypervisor = doctor.Auto
	}
	if seatNumber(o.name) > 0 && o.hypervisor == doctor.Auto {
		o.hypervisor = privateName // as up does
	}
	dir, err := a.pairDir(o.name)
	if err != nil {
		return doctor.Question{}, err
	}
	q := doctor.Question{
		Topology: t, Pair: o.name, Hypervisor: o.hypervisor, HypervisorDir: privateDir(dir), Deep: o.deep,
		Variant: image.Variant{Recipe: t.Image, Kubernetes: o.kubernetes, Kernel: o.kernel},
	}
	q.Bridge = (&provision.Cluster{Name: o.name, Dir: dir, Topology: t}).Specs().Network.Bridge
	if q.StateDir, err = a.stateDir(); err != nil {
		return q, err
	}
	if q.CacheDir, err = a.cacheDir(); err != nil {
		return q, err
	}
	if rec, err := provision.ReadRecord(dir); err == nil {
		q.Up = true
		if q.Hypervisor == doctor.Auto {
			q.Hypervisor = rec.Hypervisor
		}
	}
	// "auto" is tried by the doctor itself, who wants to know why not.
	if q.Hypervisor != doctor.Auto || a.getenv("LIBVIRT_DEFAULT_URI") != "" {
		q.Hypervisor, err = a.chooseHypervisor(ctx, q.Hypervisor)
	}
	return q, err
}

// facts asks a hypervisor that runs.
func (a *app) facts(ctx context.Context, where, pairDir string) (provision.Facts, error) {
	hv, err := a.openHypervisor(ctx, where, pairDir, true)
	if err != nil {
		return provision.Facts{}, err
	}
	defer hv.Close()
	return hv.Facts(ctx)
}

func (a *app) printFindings(found []doctor.Finding, output string) error {
	if output != plainOutput {
		return a.encode(output, found)
	}
	return doctor.Plain(a.stdout, found)
}

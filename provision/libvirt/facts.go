package libvirt

import (
	"context"
	"errors"
	"fmt"
	"os"

	golibvirt "github.com/digitalocean/go-libvirt"
	"libvirt.org/go/libvirtxml"

	"labctl/internal/remote"
	"labctl/provision"
)

// Versions of libvirt from which something works; 9.0.0 is 9000000.
const (
	// sinceCheckpoints is the first version whose QEMU driver always uses
	// -blockdev, which internal snapshots here are tried with.
	sinceCheckpoints = 6000000
	sinceNetValidate = 7007000
)

// greet learns who answers, and whether networks and storage do too.
func (h *Hypervisor) greet(ctx context.Context) error {
	var err error
	if h.driver, err = call(ctx, h.link, "asking for the driver", (*golibvirt.Libvirt).ConnectGetType); err != nil {
		return err
	}
	if h.version, err = call(ctx, h.link, "asking for the version", (*golibvirt.Libvirt).ConnectGetLibVersion); err != nil {
		return err
	}
	err = do(ctx, h.link, "listing networks", func(l *golibvirt.Libvirt) error {
		_, _, err := l.ConnectListAllNetworks(1, 0)
		return err
	})
	if err != nil {
		return explainPart(err, "virtnetworkd")
	}
	err = do(ctx, h.link, "listing storage pools", func(l *golibvirt.Libvirt) error {
		_, _, err := l.ConnectListAllStoragePools(1, 0)
		return err
	})
	return explainPart(err, "virtstoraged")
}

// PartError: the QEMU daemon answers, and the daemon for networks or storage
// behind it does not.
type PartError struct {
	// Daemon that is missing.
	Daemon string
	Err    error
}

func (e *PartError) Error() string { return e.Err.Error() }
func (e *PartError) Unwrap() error { return e.Err }

// Hint says what to start.
func (e *PartError) Hint() string {
	return fmt.Sprintf("this host has one daemon for each driver: systemctl start %s.socket", e.Daemon)
}

func explainPart(err error, daemon string) error {
	var answer *Error
	if errors.As(err, &answer) {
		return &PartError{Daemon: daemon, Err: err}
	}
	return err
}

// Facts tells versions, accelerators and limits.
func (h *Hypervisor) Facts(ctx context.Context) (provision.Facts, error) {
	f := provision.Facts{Libvirt: spellVersion(h.version)}
	var err error
	if f.URI, err = call(ctx, h.link, "asking for the URI", (*golibvirt.Libvirt).ConnectGetUri); err != nil {
		return f, err
	}
	if h.link.target.ssh != nil || !h.link.target.local {
		f.URI = h.link.target.uri
	}
	version, err := call(ctx, h.link, "asking for QEMU's version", (*golibvirt.Libvirt).ConnectGetVersion)
	if err != nil && !errors.Is(err, provision.ErrUnsupported) {
		return f, err
	}
	f.QEMU = spellVersion(version)
	if f.WhyNot, err = h.whyNoKVM(ctx); err != nil {
		return f, err
	}
	f.KVM = f.WhyNot == ""
	if h.link.target.local {
		f.TSCKHz = tscKHz(os.ReadFile)
	} else if cpu, err := h.machineCPU(ctx); err == nil {
		f.TSCKHz = cpu.tscKHz()
	}
	f.WhyNoCheckpoints = h.whyNoCheckpoints()
	f.Checkpoints = f.WhyNoCheckpoints == ""
	return f, nil
}

func spellVersion(v uint64) string {
	return fmt.Sprintf("%d.%d.%d", v/1000000, v/1000%1000, v%1000)
}

func (h *Hypervisor) whyNoCheckpoints() string {
	if h.driver == "QEMU" && h.version < sinceCheckpoints {
		return fmt.Sprintf("libvirt %s is older than %s", spellVersion(h.version), spellVersion(sinceCheckpoints))
	}
	return ""
}

// whyNoKVM asks the daemon, never our own rights, and then the CPU: a machine
// was seen where /dev/kvm opens and a domain of type kvm can be defined, but no
// kernel boots; only the missing CPU flag told.
func (h *Hypervisor) whyNoKVM(ctx context.Context) (string, error) {
	if h.driver != "QEMU" {
		return "driver " + h.driver + " runs no code", nil
	}
	text, err := call(ctx, h.link, "asking for KVM", func(l *golibvirt.Libvirt) (string, error) {
		return l.ConnectGetDomainCapabilities(nil, golibvirt.OptString{"x86_64"}, golibvirt.OptString{"q35"},
			golibvirt.OptString{"kvm"}, 0)
	})
	var answer *Error
	if errors.As(err, &answer) {
		return "libvirt offers no KVM: " + answer.Message, nil
	}
	if err != nil {
		return "", err
	}
	var caps libvirtxml.DomainCaps
	if err := caps.Unmarshal(text); err != nil {
		return "", fmt.Errorf("reading domain capabilities: %w", err)
	}
	if caps.Domain != "kvm" {
		return fmt.Sprintf("libvirt offers %q instead of KVM", caps.Domain), nil
	}
	if h.link.target.local {
		return whyNoCPU("/proc/cpuinfo")
	}
	return h.whyNoRemoteCPU(ctx)
}

// WhyNoLocalKVM tells, without any daemon, why this machine has no hardware
// acceleration; empty if nothing speaks against it.
func WhyNoLocalKVM() (string, error) {
	if _, err := os.Stat("/dev/kvm"); err != nil {
		return "there is no /dev/kvm", nil
	}
	return whyNoCPU("/proc/cpuinfo")
}

// whyNoCPU looks for hardware virtualisation among the CPU's flags.
func whyNoCPU(cpuinfo string) (string, error) {
	content, err := os.ReadFile(cpuinfo)
	if err != nil {
		return "", fmt.Errorf("reading the CPU's flags: %w", err)
	}
	if provision.VirtualisationFlag(provision.CPUFlags(string(content))) != "" {
		return "", nil
	}
	return "/dev/kvm is there, but the CPU shows neither vmx nor svm", nil
}

// nodeDialer is the way to nodes when Options name none.
func (h *Hypervisor) nodeDialer(t *target) remote.Dial {
	if t.ssh != nil {
		h.closers = append(h.closers, t.ssh.close)
		return t.ssh.dialNode
	}
	return dialDirect
}

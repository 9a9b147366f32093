package doctor

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"labctl/provision"
)

// listening makes sockets answer as given; those not named are not there.
func listening(m *Machine, answers map[string]error) {
	m.DialSocket = func(_ context.Context, path string) error {
		for socket, err := range answers {
			if path == m.path(socket) {
				return err
			}
		}
		return fs.ErrNotExist
	}
}

func silent(m *Machine) {
	m.Facts = func(context.Context, string) (provision.Facts, error) {
		return provision.Facts{}, hinted{errors.New("no answer within 4s")}
	}
}

func TestHypervisor(t *testing.T) {
	t.Parallel()
	play(t, "hypervisor", []scene{
		{"private", nil, []string{"ok: private: a libvirtd of its own in a network namespace of its own"}},
		{"private, running", func(_ *testing.T, m *Machine) {
			m.Hypervisor = Private
			m.Facts = func(context.Context, string) (provision.Facts, error) { return facts(), nil }
		}, []string{"ok: private, running: a libvirtd of its own in a network namespace of its own"}},
		{"the system's comes first", func(_ *testing.T, m *Machine) { system(m, facts()) }, []string{"ok: qemu:///system answers"}},
		{"a user without any", func(_ *testing.T, m *Machine) { asUser(m, 110) },
			[]string{"bad: no libvirt that this user may use, and only root may run a private one -> run labctl with sudo"}},
		{"a user that the socket refuses", func(_ *testing.T, m *Machine) {
			asUser(m)
			m.User = "bob"
			m.Facts = func(context.Context, string) (provision.Facts, error) { return provision.Facts{}, fs.ErrPermission }
		}, []string{"bad: no libvirt that this user may use, and only root may run a private one -> sudo usermod -aG libvirt bob, then log in again; or run labctl with sudo"}},
		{"a user in the group since after login", func(_ *testing.T, m *Machine) {
			asUser(m)
			m.Facts = func(context.Context, string) (provision.Facts, error) { return provision.Facts{}, fs.ErrPermission }
		}, []string{"bad: no libvirt that this user may use, and only root may run a private one -> log out and in again, or: newgrp libvirt"}},
		{"asked for and silent", func(_ *testing.T, m *Machine) {
			m.Hypervisor = "qemu+ssh://lab@far/system"
			silent(m)
		}, []string{"bad: qemu+ssh://lab@far/system does not answer: no answer within 4s -> mend it; like this"}},
	})
}

func TestSockets(t *testing.T) {
	t.Parallel()
	denied := &fs.PathError{Op: "dial", Err: syscall.EACCES}
	play(t, "sockets", []scene{
		{"none, none needed", nil, []string{"ok: no system libvirt here, and none is needed"}},
		{"none, for a user", func(_ *testing.T, m *Machine) { asUser(m, 110) },
			[]string{"note: no system libvirt here -> run labctl with sudo, or: sudo systemctl start libvirtd.socket"}},
		{"none, asked for", func(_ *testing.T, m *Machine) { m.Hypervisor = System },
			[]string{"bad: /var/run/libvirt/libvirt-sock is not there; /var/run/libvirt/virtqemud-sock is not there -> systemctl start libvirtd.socket (or, with modular daemons: systemctl start virtqemud.socket virtnetworkd.socket virtstoraged.socket)"}},
		{"one daemon", func(_ *testing.T, m *Machine) { system(m, facts()) },
			[]string{"ok: /var/run/libvirt/libvirt-sock takes connections"}},
		{"a stopped daemon made auto choose", func(_ *testing.T, m *Machine) {
			silent(m)
			listening(m, map[string]error{libvirtSock: nil})
		}, []string{"note: /var/run/libvirt/libvirt-sock takes connections, but: no answer within 4s -> mend it; like this"}},
		{"a stopped daemon that was asked for", func(_ *testing.T, m *Machine) {
			m.Hypervisor = System
			silent(m)
			listening(m, map[string]error{libvirtSock: nil})
		}, []string{"bad: /var/run/libvirt/libvirt-sock takes connections, but: no answer within 4s -> mend it; like this"}},
		{"nobody listens", func(_ *testing.T, m *Machine) {
			listening(m, map[string]error{libvirtSock: syscall.ECONNREFUSED})
		}, []string{"note: /var/run/libvirt/libvirt-sock is there and nobody listens -> systemctl restart libvirtd"}},
		{"nobody listens, modular", func(_ *testing.T, m *Machine) {
			listening(m, map[string]error{qemuSock: syscall.ECONNREFUSED})
		}, []string{"note: /var/run/libvirt/virtqemud-sock is there and nobody listens -> systemctl restart virtqemud.socket virtnetworkd.socket virtstoraged.socket"}},
		{"refused", func(_ *testing.T, m *Machine) {
			m.Hypervisor, m.User = System, "bob"
			asUser(m)
			listening(m, map[string]error{libvirtSock: denied})
		}, []string{"bad: /var/run/libvirt/libvirt-sock refuses this user; /var/run/libvirt/virtqemud-sock is not there -> sudo usermod -aG libvirt bob, then log in again; or run labctl with sudo"}},
		{"modular", func(_ *testing.T, m *Machine) {
			system(m, facts())
			listening(m, map[string]error{qemuSock: nil, networkSock: nil, storageSock: nil})
		}, []string{"ok: modular daemons: virtqemud, virtnetworkd and virtstoraged take connections"}},
		{"modular without networks", func(_ *testing.T, m *Machine) {
			m.Hypervisor = System
			listening(m, map[string]error{qemuSock: nil, storageSock: nil})
		}, []string{"bad: modular daemons: virtqemud takes connections, but /var/run/libvirt/virtnetworkd-sock is not there -> systemctl start virtnetworkd.socket"}},
		{"modular without storage, so auto chose", func(_ *testing.T, m *Machine) {
			listening(m, map[string]error{qemuSock: nil, networkSock: nil})
		}, []string{"note: modular daemons: virtqemud takes connections, but /var/run/libvirt/virtstoraged-sock is not there -> systemctl start virtstoraged.socket"}},
		{"another machine's are not looked at", func(_ *testing.T, m *Machine) { m.Hypervisor = "qemu+ssh://far/system" }, []string{}},
		{"nor with a socket of one's own", func(_ *testing.T, m *Machine) { m.Hypervisor = "qemu:///system?socket=/x" }, []string{}},
		{"nor where private was asked for", func(_ *testing.T, m *Machine) { m.Hypervisor = Private }, []string{}},
	})
}

func answering(change func(*provision.Facts)) func(*testing.T, *Machine) {
	return func(_ *testing.T, m *Machine) {
		f := facts()
		change(&f)
		system(m, f)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	play(t, "libvirt", []scene{
		{"installed", nil, []string{"ok: 9.0.0 installed"}},
		{"running", answering(func(*provision.Facts) {}), []string{"ok: 9.0.0 of the daemon"}},
		{"an older daemon still runs", answering(func(f *provision.Facts) { f.Libvirt = "8.0.0" }),
			[]string{"note: the daemon runs with 8.0.0, installed is 9.0.0 -> systemctl restart libvirtd (or virtqemud)"}},
		{"not installed", func(t *testing.T, m *Machine) { remove(t, *m, "/usr/sbin/libvirtd") }, []string{}},
		{"modular daemons only", func(t *testing.T, m *Machine) {
			remove(t, *m, "/usr/sbin/libvirtd")
			install(t, *m, "/usr/sbin/virtqemud")
			m.Run = runner{"/usr/sbin/virtqemud --version": "virtqemud (libvirt) 11.3.0"}.on(m.Root)
		}, []string{"ok: 11.3.0 installed"}},
	})
	play(t, "qemu", []scene{
		{"installed", nil, []string{"ok: 7.2.22 installed"}},
		{"old", func(_ *testing.T, m *Machine) {
			m.Run = runner{"/usr/bin/qemu-system-x86_64 --version": "QEMU emulator version 6.2.0"}.on(m.Root)
		}, []string{"note: 6.2.0 installed is older than what labctl is tried with (7.2.0) -> use Debian 12, Ubuntu 24.04 or newer"}},
		{"broken", func(_ *testing.T, m *Machine) { m.Run = runner{}.on(m.Root) }, []string{}},
	})
	play(t, "checkpoints", []scene{
		{"nobody to ask", nil, []string{}},
		{"yes", answering(func(*provision.Facts) {}), []string{"ok: taken and reverted with memory"}},
		{"no", answering(func(f *provision.Facts) { f.Checkpoints, f.WhyNoCheckpoints = false, "too old" }),
			[]string{"note: not on this hypervisor: too old; reset makes the disks again, which takes longer -> a newer libvirt, or --hypervisor private"}},
	})
}

// A daemon that is stopped takes the connection and keeps the caller waiting.
func TestSilentDaemon(t *testing.T) {
	t.Parallel()
	m := fit(t)
	listening(&m, map[string]error{libvirtSock: nil})
	m.Facts = func(ctx context.Context, where string) (provision.Facts, error) {
		if where == Private {
			return provision.Facts{}, provision.ErrNotFound
		}
		<-ctx.Done()
		return provision.Facts{}, ctx.Err()
	}
	start := time.Now()
	found := Examine(t.Context(), m)
	assert.Less(t, time.Since(start), 5*time.Second)
	for _, f := range found {
		if f.Check == "sockets" {
			assert.Equal(t, Note, f.Level)
			assert.Equal(t, "/var/run/libvirt/libvirt-sock takes connections, but: no answer within 3s", f.Text)
			assert.Contains(t, f.Fix, "systemctl restart libvirtd")
			continue
		}
		assert.Equal(t, OK, f.Level, "the other checks still have their time: %+v", f)
	}
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		sign int
	}{{"9.0.0", "9.0.0", 0}, {"10.4.0", "9.9.9", 1}, {"7.2", "7.2.0", 0}, {"1.21", "1.9.3", 1}, {"1.26", "1.26.8", -1}} {
		got := compareVersions(c.a, c.b)
		if (got > 0) != (c.sign > 0) || (got < 0) != (c.sign < 0) {
			t.Errorf("%s against %s: %d", c.a, c.b, got)
		}
	}
}

package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/private"
)

// scene is one machine and what one check says of it.
type scene struct {
	name   string
	change func(*testing.T, *Machine)
	want   []string
}

func play(t *testing.T, check string, scenes []scene) {
	t.Helper()
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			m := fit(t)
			if s.change != nil {
				s.change(t, &m)
			}
			got := see(t, m, check)
			assert.Equal(t, s.want, verdict(got))
			for _, f := range got {
				assert.Equal(t, f.Level != OK, f.Fix != "", "exactly what is not ok has a fix: %+v", f)
				assert.NotContains(t, f.Text+f.Fix, "\n")
			}
		})
	}
}

// A fit machine is content in every check, in each of the ways to run domains.
func TestFitMachine(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range checks() {
		assert.False(t, names[c.name], "two checks are called %q", c.name)
		names[c.name] = true
	}
	for name, change := range map[string]func(*Machine){
		"private, as root": func(*Machine) {},
		"the system's":     func(m *Machine) { system(m, facts()) },
		"the system's, as a user": func(m *Machine) {
			system(m, facts())
			m.UID, m.GIDs = 1000, []int{110, 111}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := fit(t)
			m.UID = 0
			change(&m)
			found := Examine(t.Context(), m)
			for _, f := range found {
				assert.Equal(t, OK, f.Level, "%+v", f)
				assert.True(t, names[f.Check], "%+v", f)
			}
			assert.Equal(t, OK, Worst(found))
			assert.GreaterOrEqual(t, len(found), 14)
		})
	}
}

func TestWorst(t *testing.T) {
	t.Parallel()
	assert.Equal(t, OK, Worst(nil))
	assert.Equal(t, Note, Worst([]Finding{{Level: OK}, {Level: Note}, {Level: OK}}))
	assert.Equal(t, Bad, Worst([]Finding{{Level: Bad}, {Level: Note}}))
}

func TestPlain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, Plain(&out, []Finding{
		{Check: "rights", Level: OK, Text: "root"},
		{Check: "accelerator", Level: Note, Text: "tcg", Fix: "modprobe kvm_amd"},
		{Check: "programs", Level: Bad, Text: "not installed: ip", Fix: "apt-get install iproute2"},
	}))
	assert.Equal(t, `ok    rights       root
note  accelerator  tcg
                   fix: modprobe kvm_amd
bad   programs     not installed: ip
                   fix: apt-get install iproute2
1 ok, 1 to note, 1 bad
`, out.String())
}

// The names in JSON are for other programs: they do not change.
func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]Finding{{"rights", OK, "root", ""}, {"programs", Bad, "none", "apt-get install x"}})
	require.NoError(t, err)
	assert.JSONEq(t, `[{"check":"rights","level":"ok","text":"root"},
		{"check":"programs","level":"bad","text":"none","fix":"apt-get install x"}]`, string(text))

	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	assert.Equal(t, []string{
		"rights", "hypervisor", "sockets", "libvirt", "qemu", "checkpoints", "accelerator", "cpus", "memory", "sharing", "space",
		"network", "firewall", "names", "programs", "namespaces", "image", "image-programs", "go", "clock",
	}, names)
}

func asUser(m *Machine, gids ...int) { m.UID, m.GIDs = 1000, append(gids, 1000) }

func TestRights(t *testing.T) {
	t.Parallel()
	play(t, "rights", []scene{
		{"root", nil, []string{"ok: root"}},
		{"user with a system daemon", func(_ *testing.T, m *Machine) { system(m, facts()); asUser(m, 110, 111) },
			[]string{"ok: user ada, and a hypervisor that needs no root"}},
		{"user without one", func(_ *testing.T, m *Machine) { asUser(m, 110, 111) },
			[]string{"note: user ada, not root: building an image and the private hypervisor need root -> run labctl with sudo"}},
		{"groups joined after login", func(_ *testing.T, m *Machine) { asUser(m) }, []string{
			"note: user ada is in group libvirt, but this login began before that -> log out and in again, or: newgrp libvirt",
			"note: user ada is in group kvm, but this login began before that -> log out and in again, or: newgrp kvm",
		}},
	})
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	problems := func(all ...private.Problem) func() []private.Problem {
		return func() []private.Problem { return all }
	}
	play(t, "namespaces", []scene{
		{"fine", nil, []string{"ok: network and mount namespaces can be made"}},
		{"forbidden", func(_ *testing.T, m *Machine) {
			m.Preflight = problems(private.Problem{What: "making namespaces: operation not permitted", Mend: "run it privileged"})
		}, []string{"bad: making namespaces: operation not permitted -> run it privileged"}},
		{"a program that this package does not know", func(_ *testing.T, m *Machine) {
			m.Preflight = problems(private.Problem{What: "swtpm is not installed", Mend: "apt-get install swtpm"})
		}, []string{"bad: swtpm is not installed -> apt-get install swtpm"}},
		{"what a missing package brings is said once", func(t *testing.T, m *Machine) {
			remove(t, *m, "/usr/sbin/libvirtd")
			m.Preflight = problems(
				private.Problem{What: "libvirtd is not installed", Mend: "apt-get install libvirt-daemon-system"},
				private.Problem{What: "/etc/libvirt is missing", Mend: "mkdir -p /etc/libvirt"},
				private.Problem{What: "/dev/net/tun is missing", Mend: "modprobe tun"})
		}, []string{"bad: /dev/net/tun is missing -> modprobe tun"}},
		{"a folder alone", func(_ *testing.T, m *Machine) {
			m.Preflight = problems(private.Problem{What: "/etc/libvirt is missing", Mend: "mkdir -p /etc/libvirt"})
		}, []string{"bad: /etc/libvirt is missing -> mkdir -p /etc/libvirt"}},
		{"not for the system's daemon", func(_ *testing.T, m *Machine) {
			system(m, facts())
			m.Preflight = problems(private.Problem{What: "x", Mend: "y"})
		}, []string{}},
	})
}

// hinted is an error that knows its remedy.
type hinted struct{ error }

func (hinted) Hint() string { return "mend it\nlike this" }

func TestHintOf(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mend it; like this", hintOf(errors.Join(fs.ErrExist, hinted{fs.ErrInvalid}), "other"))
	assert.Equal(t, "other", hintOf(fs.ErrInvalid, "other"))
	assert.Equal(t, "other", hintOf(nil, "other"))
}

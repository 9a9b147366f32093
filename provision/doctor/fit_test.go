package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/image"
	"labctl/provision/private"
	"labctl/topology"
)

const fitCPU = `processor	: 0
flags		: fpu vme svm
processor	: 1
flags		: fpu vme svm
`

// fit is a machine on which every check is content; its files lie below
// Root, a folder of the test's own.
func fit(t *testing.T) Machine {
	t.Helper()
	pair, err := topology.Embedded("pair")
	require.NoError(t, err)
	pair.Nodes = pair.Nodes[:2] // sums that stay the same, whatever stands beside the cluster
	m := Machine{
		Question: Question{
			Topology: pair, Pair: "pair", Bridge: "lab-47d8bd46", Hypervisor: Auto,
			StateDir: "/state", CacheDir: "/cache", HypervisorDir: "/state/pairs/pair/hypervisor",
		},
		Root: t.TempDir(), Now: func() time.Time { return time.Unix(2000000000, 0) },
		User: "ada", Arch: "amd64",
		Getenv: func(key string) string {
			return map[string]string{"PATH": "/opt/go/bin:/usr/bin:/usr/sbin", "HOME": "/home/ada"}[key]
		},
		OpenDevice: func(string) error { return nil },
		DialSocket: func(context.Context, string) error { return fs.ErrNotExist },
		Claims: func() ([]Claim, error) {
			return []Claim{{Prefix: netip.MustParsePrefix("192.0.2.7/24"), Kind: "address", Link: "eth0"}}, nil
		},
		Free: func(string) (Free, error) { return Free{Bytes: 100 << 30, Device: 1}, nil },
		Facts: func(_ context.Context, where string) (provision.Facts, error) {
			return provision.Facts{}, fmt.Errorf("asking %q: %w", where, provision.ErrNotFound)
		},
		Preflight: func() []private.Problem { return nil },
		Verify:    func(context.Context, image.Image) error { return nil },
		Pins:      image.Lock{Go: "go1.26.8", Epoch: 1900000000},
	}
	m.Run = runner{
		"/usr/sbin/libvirtd --version":            "libvirtd (libvirt) 9.0.0\n",
		"/usr/bin/qemu-system-x86_64 --version":   "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright\n",
		"/usr/bin/qemu-system-x86_64 -accel help": "Accelerators supported in QEMU binary:\ntcg\nkvm\n",
		"/opt/go/bin/go version":                  "go version go1.26.8 linux/amd64\n",
	}.on(m.Root)
	write(t, m, "/proc/cpuinfo", fitCPU)
	write(t, m, "/proc/meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\nMemAvailable:    8192000 kB\n")
	write(t, m, "/etc/group", "root:x:0:\nlibvirt:x:110:ada\nkvm:x:111:ada,bob\n")
	write(t, m, "/dev/kvm", "")
	install(t, m, "/opt/go/bin/go")
	for _, p := range append(runPrograms(), buildPrograms()...) {
		switch {
		case p.name[0] == '/':
			write(t, m, p.name, "x")
		case p.name == "libvirtd" || p.name == "virtlogd" || p.pkg == "e2fsprogs":
			install(t, m, "/usr/sbin/"+p.name)
		default:
			install(t, m, "/usr/bin/"+p.name)
		}
	}
	dir := "/cache/images/pair-0123"
	img := image.Image{
		ID: "pair-0123", Variant: image.Variants()[0],
		Dir: dir, Disk: dir + "/disk.qcow2", Kernel: dir + "/vmlinuz", Initrd: dir + "/initrd.img",
	}
	write(t, m, img.Disk, "QFI\xfb rest")
	write(t, m, img.Kernel, "kernel")
	write(t, m, img.Initrd, "initrd")
	m.Image = func() (image.Image, error) { return img, nil }
	return m
}

// runner answers for programs, by command line.
type runner map[string]string

func (r runner) on(root string) func(context.Context, string, ...string) (string, error) {
	return func(_ context.Context, name string, args ...string) (string, error) {
		line := name[len(root):]
		for _, a := range args {
			line += " " + a
		}
		if answer, known := r[line]; known {
			return answer, nil
		}
		return "", fmt.Errorf("running %s: %w", line, errors.New("exit status 1"))
	}
}

func write(t *testing.T, m Machine, path, content string) {
	t.Helper()
	path = m.path(path)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func install(t *testing.T, m Machine, path string) {
	t.Helper()
	write(t, m, path, "#!")
	require.NoError(t, os.Chmod(m.path(path), 0o755))
}

func remove(t *testing.T, m Machine, paths ...string) {
	t.Helper()
	for _, p := range paths {
		require.NoError(t, os.Remove(m.path(p)))
	}
}

// system makes a daemon answer at the system's URI.
func system(m *Machine, facts provision.Facts) {
	m.Facts = func(_ context.Context, where string) (provision.Facts, error) {
		if where != System {
			return provision.Facts{}, provision.ErrNotFound
		}
		return facts, nil
	}
	m.DialSocket = func(_ context.Context, path string) error {
		if path == m.path(libvirtSock) {
			return nil
		}
		return fs.ErrNotExist
	}
}

// facts of a daemon that can do everything.
func facts() provision.Facts {
	return provision.Facts{URI: System, Libvirt: "9.0.0", QEMU: "7.2.22", KVM: true, Checkpoints: true}
}

// see runs one check.
func see(t *testing.T, m Machine, name string) []Finding {
	t.Helper()
	for _, c := range checks() {
		if c.name == name {
			return c.look(t.Context(), newSurvey(t.Context(), m))
		}
	}
	require.Fail(t, "no such check", name)
	return nil
}

// verdict is one finding as a line.
func verdict(findings []Finding) []string {
	lines := []string{}
	for _, f := range findings {
		line := string(f.Level) + ": " + f.Text
		if f.Fix != "" {
			line += " -> " + f.Fix
		}
		lines = append(lines, line)
	}
	return lines
}

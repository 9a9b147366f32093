package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	play(t, "programs", []scene{
		{"all", nil, []string{"ok: all 8 installed"}},
		{"a package of each is named once", func(t *testing.T, m *Machine) {
			remove(t, *m, "/usr/sbin/libvirtd", "/usr/sbin/virtlogd", "/usr/bin/dnsmasq")
		}, []string{"bad: not installed: libvirtd, virtlogd, dnsmasq -> apt-get install libvirt-daemon-system dnsmasq-base"}},
		{"not executable", func(t *testing.T, m *Machine) { require.NoError(t, os.Chmod(m.path("/usr/bin/ip"), 0o644)) },
			[]string{"bad: not installed: ip -> apt-get install iproute2"}},
		{"only where the daemons do not look", func(t *testing.T, m *Machine) {
			remove(t, *m, "/usr/bin/ip")
			install(t, *m, "/opt/go/bin/ip")
		}, []string{"bad: not installed: ip -> apt-get install iproute2"}},
		{"the system's daemon has its own", func(t *testing.T, m *Machine) {
			system(m, facts())
			remove(t, *m, "/usr/bin/dnsmasq")
		}, []string{}},
	})
	play(t, "image-programs", []scene{
		{"all", nil, []string{"ok: all 13 installed"}},
		{"missing, with an image at hand", func(t *testing.T, m *Machine) { remove(t, *m, "/usr/bin/mmdebstrap") },
			[]string{"note: not installed: mmdebstrap -> apt-get install mmdebstrap"}},
		{"missing, with an image to build", func(t *testing.T, m *Machine) {
			unbuilt(m)
			remove(t, *m, "/usr/bin/mmdebstrap", "/usr/sbin/mke2fs", "/usr/share/keyrings/debian-archive-keyring.gpg")
		}, []string{"bad: not installed: mmdebstrap, /usr/share/keyrings/debian-archive-keyring.gpg, mke2fs -> apt-get install mmdebstrap debian-archive-keyring e2fsprogs"}},
		{"sbin not in PATH", func(_ *testing.T, m *Machine) {
			m.Getenv = func(string) string { return "/usr/bin" }
		}, []string{"note: mke2fs, dumpe2fs, e2fsck, debugfs: installed, but not in PATH -> PATH=$PATH:/usr/sbin:/sbin labctl image build"}},
	})
}

// What doctor asks for is what `make deps` installs. Three are on every Debian.
func TestPackagesAreInstalledByMake(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(content), "\nPACKAGES :=")
	require.True(t, found)
	list, _, _ := strings.Cut(strings.ReplaceAll(rest, "\\\n", " "), "\n")
	installed := append(strings.Fields(list), "apt", "dpkg", "tar", "util-linux")
	for _, p := range append(runPrograms(), buildPrograms()...) {
		assert.Contains(t, installed, p.pkg, "for %s", p.name)
	}
}

// What the image builder starts is in the table. The go command has a check of
// its own, and nothing works where coreutils are missing.
func TestTableKnowsTheBuildersPrograms(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"go": true, "cp": true, "chmod": true, "chroot": true}
	for _, p := range buildPrograms() {
		known[p.name] = true
	}
	files, err := filepath.Glob("../image/*.go")
	require.NoError(t, err)
	calls := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, call := range regexp.MustCompile(`\brun\(ctx, \w+, "([^"]+)"`).FindAllStringSubmatch(string(content), -1) {
			calls++
			assert.True(t, known[call[1]], "%s starts %q", file, call[1])
		}
	}
	assert.Greater(t, calls, 9, "the pattern finds the calls")
}

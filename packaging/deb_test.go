// Package packaging turns the program into what a Debian machine installs, and
// holds what runs it every night there and in a cluster. It has nothing but
// scripts, units, a manifest, and their tests.
package packaging

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/needtest"
)

// built returns the one file of `make dist` whose name ends like this.
func built(t *testing.T, suffix string) string {
	t.Helper()
	found, err := filepath.Glob("../dist/labctl_*" + suffix)
	require.NoError(t, err)
	if len(found) == 0 {
		needtest.Missing(t, "dist/", "run `make dist` first")
	}
	require.Len(t, found, 1)
	path, err := filepath.Abs(found[0])
	require.NoError(t, err)
	return path
}

func TestBinaryIsStatic(t *testing.T) {
	file, err := elf.Open(built(t, "_linux_amd64"))
	require.NoError(t, err)
	defer file.Close()
	for _, p := range file.Progs {
		assert.NotEqual(t, elf.PT_INTERP, p.Type, "it asks for a dynamic linker")
	}
}

func TestSums(t *testing.T) {
	dist := filepath.Dir(built(t, "_amd64.deb"))
	cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
	cmd.Dir = dist
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, 3, strings.Count(string(out), ": OK\n"), "%s", out)
}

// The bill of materials has each module that the compiler wrote into the binary.
func TestBillOfMaterials(t *testing.T) {
	text, err := os.ReadFile(built(t, ".cdx.json"))
	require.NoError(t, err)
	var bill struct {
		BOMFormat  string
		Components []struct {
			Name, Version string
			Evidence      struct{ Licenses []any }
		}
	}
	require.NoError(t, json.Unmarshal(text, &bill))
	assert.Equal(t, "CycloneDX", bill.BOMFormat)
	versions := map[string]string{}
	for _, c := range bill.Components {
		versions[c.Name] = c.Version
		assert.True(t, c.Name == "std" || len(c.Evidence.Licenses) > 0, "%s has no licence", c.Name)
	}
	info, err := buildinfo.ReadFile(built(t, "_linux_amd64"))
	require.NoError(t, err)
	require.NotEmpty(t, info.Deps)
	for _, d := range info.Deps {
		assert.Equal(t, d.Version, versions[d.Path], d.Path)
	}
	assert.Contains(t, versions, "std")
}

// TestInstall installs the package in root file systems that have dpkg and a
// shell and nothing else, and runs the program there.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("makes root file systems: run without -short, as root, as `make test` does")
	}
	mmdebstrap := needtest.Program(t, "mmdebstrap")
	deb := built(t, "_amd64.deb")
	for _, suite := range []string{"bookworm", "trixie"} {
		t.Run(suite, func(t *testing.T) {
			t.Parallel() // it waits for the archive
			install(t, mmdebstrap, suite, deb)
		})
	}
}

func install(t *testing.T, mmdebstrap, suite, deb string) {
	root := filepath.Join(t.TempDir(), "root")
	out, err := exec.CommandContext(t.Context(), mmdebstrap, "--quiet", "--mode=root", "--variant=extract",
		"--include=dpkg,dash,bash,coreutils,diffutils,libc-bin,sed,tar,base-files", suite, root).CombinedOutput()
	require.NoError(t, err, "%s", out)
	content, err := os.ReadFile(deb)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "labctl.deb"), content, 0o600))

	in(t, root, 0, "dpkg", "--install", "/labctl.deb")
	assert.Empty(t, in(t, root, 0, "dpkg", "--verify", "labctl"))

	// The package's version is made of the program's.
	version, _, _ := strings.Cut(strings.TrimPrefix(in(t, root, 0, "labctl", "--version"), "labctl version "), " ")
	version = strings.Trim(strings.TrimPrefix(version, "v"), "()")
	packaged := strings.TrimSpace(in(t, root, 0, "dpkg-query", "--show", "--showformat=${Version}", "labctl"))
	assert.True(t, strings.HasSuffix(strings.TrimSuffix(packaged, "-1"), strings.ReplaceAll(version, "-", "~")), "%s in %s", version, packaged)
	assert.Regexp(t, `(?m)^image lock +sha256:[0-9a-f]{64}$`, in(t, root, 0, "labctl", "version"))

	// Nothing recommended is there, and doctor says so: what it asks for is what
	// the package recommends.
	var found []struct{ Check, Level, Text, Fix string }
	require.NoError(t, json.Unmarshal([]byte(in(t, root, 1, "labctl", "doctor", "-o", "json", "--hypervisor", "private")), &found))
	recommends := in(t, root, 0, "dpkg-query", "--show", "--showformat=${Recommends}", "labctl")
	asked := 0
	for _, f := range found {
		packages, isInstall := strings.CutPrefix(f.Fix, "apt-get install ")
		if !isInstall || !strings.HasSuffix(f.Check, "programs") {
			continue
		}
		for _, p := range strings.Fields(packages) {
			asked++
			always := p == "apt" || p == "util-linux" // on every Debian but this one
			assert.True(t, always || strings.Contains(", "+recommends+",", " "+p+","), "doctor asks for %s, the package recommends %s", p, recommends)
		}
	}
	assert.Greater(t, asked, 5, "%v", found)

	in(t, root, 0, "bash", "-n", "/usr/share/bash-completion/completions/labctl")
	for _, file := range []string{"man/man1/labctl-run.1.gz", "zsh/vendor-completions/_labctl", "fish/vendor_completions.d/labctl.fish", "doc/labctl/changelog.gz"} {
		assert.FileExists(t, filepath.Join(root, "usr/share", file))
	}
	in(t, root, 0, "dpkg", "--purge", "labctl")
	left, err := filepath.Glob(root + "/usr/*/labctl*")
	require.NoError(t, err)
	assert.Empty(t, left)
}

// in runs a program with the root as its /, in namespaces that go with it, and
// returns its standard output.
func in(t *testing.T, root string, code int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "chroot", append([]string{root}, args...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its code is looked at
	require.NotNil(t, cmd.ProcessState, "%v", args)
	require.Equal(t, code, cmd.ProcessState.ExitCode(), "%v\n%s%s", args, stdout.String(), stderr.String())
	return stdout.String()
}

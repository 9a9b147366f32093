package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// keyring holds Debian's archive keys; the package of the same name has it.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// run starts a program and returns what it wrote to standard output. The error
// holds the end of what it said otherwise.
func run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC")
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The whole group is asked to end, and has a while to clean up: mmdebstrap
	// removes its root file system then.
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			// Whoever did not listen.
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		}
		return "", fmt.Errorf("running %s: %w", filepath.Base(name), context.Cause(ctx))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", &MissingProgramError{Program: name}
	}
	if err != nil {
		return "", fmt.Errorf("running %s: %w:\n%s", filepath.Base(name), err, tail(stderr.String()+stdout.String(), 20))
	}
	return stdout.String(), nil
}

// tail returns the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// mirror is where Debian packages come from: what this machine's apt uses for
// Debian if it is one, else what mmdebstrap would use.
func mirror(ctx context.Context) (string, error) {
	targets, err := run(ctx, nil, "apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)", "Created-By: Packages")
	if err != nil {
		return "", fmt.Errorf("looking for a Debian mirror: %w", err)
	}
	for line := range strings.Lines(targets) {
		if uri, found := strings.CutPrefix(strings.TrimSpace(line), "Debian|"); found {
			return strings.TrimSuffix(uri, "/"), nil
		}
	}
	// The hook prints what mmdebstrap chose and ends it before it fetches anything.
	cmd := exec.CommandContext(ctx, "mmdebstrap", "--variant=extract",
		"--setup-hook=cat \"$1/etc/apt/sources.list\"; exit 1", "trixie", os.DevNull)
	chosen, err := cmd.Output()
	for line := range strings.Lines(string(chosen)) {
		for _, word := range strings.Fields(line) {
			if strings.HasPrefix(word, "http") {
				return strings.TrimSuffix(word, "/"), nil
			}
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", &MissingProgramError{Program: "mmdebstrap"}
	}
	return "", fmt.Errorf("looking for a Debian mirror: neither apt nor mmdebstrap names one")
}

// archive is one Debian release as a private apt sees it: nothing of the
// machine's own apt is read or changed, except its proxy settings.
type archive struct {
	suite string
	flags []string
}

// openArchive fetches a release's index into dir.
func openArchive(ctx context.Context, dir, mirror, suite string) (archive, error) {
	for _, folder := range []string{"etc/apt/preferences.d", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/lib/dpkg"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return archive{}, fmt.Errorf("opening the archive of %q: %w", suite, err)
		}
	}
	status, list := filepath.Join(dir, "var/lib/dpkg/status"), filepath.Join(dir, "etc/apt/sources.list")
	source := fmt.Sprintf("deb [arch=amd64 signed-by=%s] %s %s main\n", keyring, mirror, suite)
	if err := errors.Join(os.WriteFile(status, nil, 0o644), os.WriteFile(list, []byte(source), 0o644)); err != nil {
		return archive{}, fmt.Errorf("opening the archive of %q: %w", suite, err)
	}
	a := archive{suite, []string{
		"-o", "Dir=" + dir, "-o", "Dir::State::status=" + status, "-o", "APT::Architecture=amd64",
		"-o", "APT::Architectures::=amd64", "-o", "Acquire::Languages=none", "-o", "APT::Sandbox::User=root",
		"-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
		// With another machine's clock, a release can look as if it came from the future.
		"-o", "Acquire::Check-Date=false",
	}}
	if _, err := run(ctx, nil, "apt-get", append(slices.Clone(a.flags), "update", "--error-on=any")...); err != nil {
		return archive{}, fmt.Errorf("reading the package index of %q: %w", suite, err)
	}
	return a, nil
}

// closure names everything that installing the given packages would install.
func (a archive) closure(ctx context.Context, names ...string) ([]string, error) {
	args := append(slices.Clone(a.flags), "-o", "APT::Install-Recommends=false", "--simulate", "install", "?essential")
	plan, err := run(ctx, nil, "apt-get", append(args, names...)...)
	if err != nil {
		return nil, fmt.Errorf("resolving dependencies in %q: %w", a.suite, err)
	}
	var all []string
	for line := range strings.Lines(plan) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "Inst" {
			all = append(all, fields[1])
		}
	}
	return all, nil
}

// pins looks packages up.
func (a archive) pins(ctx context.Context, set string, names ...string) ([]Package, error) {
	args := append(slices.Clone(a.flags), "show", "--no-all-versions")
	stanzas, err := run(ctx, nil, "apt-cache", append(args, names...)...)
	if err != nil {
		return nil, fmt.Errorf("looking up packages in %q: %w", a.suite, err)
	}
	var pins []Package
	for stanza := range strings.SplitSeq(strings.TrimSpace(stanzas), "\n\n") {
		fields := controlFields(stanza)
		pins = append(pins, Package{Set: set, Name: fields["Package"], Version: fields["Version"],
			Arch: fields["Architecture"], SHA256: fields["SHA256"], Path: fields["Filename"]})
	}
	if len(pins) != len(names) {
		return nil, fmt.Errorf("looking up packages in %q: asked for %d, found %d", a.suite, len(names), len(pins))
	}
	return pins, nil
}

// depends returns the first package that another one depends on.
func (a archive) depends(ctx context.Context, name string) (string, error) {
	stanza, err := run(ctx, nil, "apt-cache", append(slices.Clone(a.flags), "show", "--no-all-versions", name)...)
	if err != nil {
		return "", fmt.Errorf("looking up %q in %q: %w", name, a.suite, err)
	}
	first, _, _ := strings.Cut(controlFields(stanza)["Depends"], ",")
	first, _, _ = strings.Cut(first, " ")
	return first, nil
}

// controlFields are the one-line fields of a package's description.
func controlFields(stanza string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(stanza) {
		if key, value, found := strings.Cut(line, ": "); found && !strings.HasPrefix(line, " ") {
			fields[key] = strings.TrimSpace(value)
		}
	}
	return fields
}

package private

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Problem is one reason why a private hypervisor would not start here.
type Problem struct {
	// What is wrong.
	What string
	// Mend is one line that does something about it.
	Mend string
}

// Preflight looks for what a private hypervisor needs and does not find.
func Preflight() []Problem {
	var all []Problem
	if err := needRoot(); err != nil {
		all = append(all, Problem{What: "not running as root", Mend: "run it with sudo"})
	} else if err := tryNamespaces(); err != nil {
		all = append(all, Problem{
			What: err.Error(),
			Mend: "in a container, run it privileged (CAP_SYS_ADMIN and CAP_NET_ADMIN)",
		})
	}
	all = append(all, missingPrograms()...)
	for _, f := range layout() {
		if strings.HasPrefix(f.compiled, "/run/") {
			continue // made inside
		}
		if _, err := os.Stat(f.compiled); err != nil {
			all = append(all, Problem{What: f.compiled + " is missing", Mend: "mkdir -p " + f.compiled})
		}
	}
	if _, err := lookPath(reaper); err != nil && deadLinger() {
		all = append(all, Problem{
			What: "process 1 is slow to collect the dead: libvirtd would wait up to 30 s for each guest that ends",
			Mend: "apt-get install " + reaper,
		})
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		all = append(all, Problem{What: "/dev/net/tun is missing: guests have no network", Mend: "modprobe tun"})
	}
	return all
}

// program that is needed, and the Debian package it is in.
type program struct{ name, pkg string }

func programs() []program {
	return []program{
		{libvirtd, "libvirt-daemon-system"},
		{virtlogd, "libvirt-daemon-system"},
		{"qemu-system-x86_64", "qemu-system-x86"},
		{"qemu-img", "qemu-utils"},
		{"dnsmasq", "dnsmasq-base"},
		{"iptables", "iptables"},
		{"ip", "iproute2"},
		{"nsenter", "util-linux"},
	}
}

func missingPrograms() []Problem {
	var all []Problem
	for _, p := range programs() {
		if _, err := lookPath(p.name); err != nil {
			all = append(all, Problem{What: p.name + " is not installed", Mend: "apt-get install " + p.pkg})
		}
	}
	return all
}

// lookPath finds a program where the daemons look for it; a user's PATH often
// lacks the sbin folders.
func lookPath(name string) (string, error) {
	for _, folder := range strings.Split(searchPath, ":") {
		if path, err := exec.LookPath(folder + "/" + name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("looking for %q in %s: %w", name, searchPath, exec.ErrNotFound)
}

// searchPath is the PATH of the daemons.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// deadLinger makes an orphan that ends soon, and sees whether anybody collects
// it within 0.3 s.
func deadLinger() bool {
	//nolint:forbidigo // bounded by itself, to less than anybody would wait for
	ctx := context.Background()
	// The orphan holds the pipe: Output returns when it ends, the shell ends first.
	out, err := exec.CommandContext(ctx, "sh", "-c", "sleep 0.1 & echo $!").Output()
	if err != nil {
		return false
	}
	stat := "/proc/" + strings.TrimSpace(string(out)) + "/stat"
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return until(ctx, 10*time.Millisecond, func() (bool, error) {
		_, err := os.Stat(stat)
		return err != nil, nil
	}) != nil
}

// tryNamespaces does what Ensure would do, with a folder of no matter which, on
// a thread that ends at once.
func tryNamespaces() error {
	return onThread(func() error {
		tree, err := cloneTree("/usr")
		if err != nil {
			return err
		}
		defer unix.Close(tree)
		if err := setReadOnly(tree); err != nil {
			return fmt.Errorf("making a read-only mount, which takes Linux 5.12: %w", err)
		}
		if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("making namespaces: %w", err)
		}
		if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("changing mounts in a namespace: %w", err)
		}
		return renewSys()
	})
}

// ErrNotRoot says that the caller lacks the rights. It has a Hint.
var ErrNotRoot error = notRootError{}

type notRootError struct{}

func (notRootError) Error() string { return "only root can use a private hypervisor" }
func (notRootError) Hint() string {
	return "run it with sudo, or join the libvirt group and use qemu:///system"
}

// MissingError says that programs are missing.
type MissingError struct{ Problems []Problem }

func (e *MissingError) Error() string {
	names := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		names = append(names, p.What)
	}
	return "starting a private hypervisor: " + strings.Join(names, "; ")
}

// Hint says what to do about it.
func (e *MissingError) Hint() string {
	mends := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		if !slices.Contains(mends, p.Mend) {
			mends = append(mends, p.Mend)
		}
	}
	return strings.Join(mends, " && ")
}

func needRoot() error {
	if os.Geteuid() != 0 {
		return ErrNotRoot
	}
	return nil
}

// missing returns an error if a program that Ensure starts is not there.
func missing() error {
	if problems := missingPrograms(); len(problems) > 0 {
		return &MissingError{Problems: problems}
	}
	return nil
}

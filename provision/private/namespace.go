package private

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// build gives the calling thread a network namespace and a mount namespace and
// sets them up for a directory. Nothing of it is seen outside, and if the
// thread ends before it started a process, nothing of it is left.
func build(dir string) error {
	// Taken before anything hides them, so that the directory may lie under /run.
	trees := map[string]int{}
	defer func() {
		for _, fd := range trees {
			unix.Close(fd)
		}
	}()
	for _, f := range layout() {
		fd, err := cloneTree(filepath.Join(dir, f.own))
		if err != nil {
			return err
		}
		trees[f.compiled] = fd
	}
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("making namespaces: %w", err)
	}
	// Slave, not private: what the host unmounts is unmounted here too and is not
	// kept busy; what we mount stays here.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("parting from the host's mounts: %w", err)
	}
	if err := coverRun(dir); err != nil {
		return err
	}
	if err := renewSys(); err != nil {
		return err
	}
	for _, f := range layout() {
		if err := attachTree(trees[f.compiled], f.compiled); err != nil {
			return err
		}
	}
	if err := openKVM(qemuAccount()); err != nil {
		return err
	}
	if err := plainBridges("/proc/sys/net/bridge"); err != nil {
		return err
	}
	return loopbackUp()
}

// plainBridges lets frames from one guest to another pass as a switch would. With
// br_netfilter, which Docker loads, the kernel shows them to iptables on their way,
// and libvirt's rule for what leaves a network rewrites the source of all that one
// guest sends through another to an address beyond it. A new namespace begins with
// the kernel's default, which is on. Without the module there is nothing to set, and
// one that is loaded later begins with the default here, too.
func plainBridges(sysctls string) error {
	for _, name := range []string{"bridge-nf-call-iptables", "bridge-nf-call-ip6tables", "bridge-nf-call-arptables"} {
		err := writeExisting(filepath.Join(sysctls, name), "0\n")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("turning sysctl %q off in the private namespace: %w", name, err)
		}
	}
	return nil
}

// writeExisting writes a file that is there.
func writeExisting(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}

// coverRun hides the host's /run and marks the namespace. Without the host's
// sockets libvirt registers no guest with systemd-machined, asks no polkit and
// tells no firewalld; without /run/systemd it takes the machine for one without
// systemd.
func coverRun(dir string) error {
	if err := unix.Mount(markPrefix+dir, "/run", "tmpfs", unix.MS_NOSUID, "mode=0755,size=64m"); err != nil {
		return fmt.Errorf("mounting a private /run: %w", err)
	}
	if err := os.Mkdir("/run/libvirt", 0o755); err != nil {
		return fmt.Errorf("setting up the private /run: %w", err)
	}
	return nil
}

// renewSys mounts a /sys that shows this network namespace's interfaces, which
// libvirt sets a bridge's options through. The host's cgroups, mounted below
// the old one, go out of sight with it, and so does securityfs.
func renewSys() error {
	if err := unix.Unmount("/sys", unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmounting the host's /sys in the private namespace: %w", err)
	}
	if err := unix.Mount("sysfs", "/sys", "sysfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting a private /sys: %w", err)
	}
	return nil
}

// cloneTree returns a detached copy of the mount tree at a path, which can be
// attached in another mount namespace. Needs Linux 5.2.
func cloneTree(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("preparing a mount of %q: %w", path, err)
	}
	return fd, nil
}

// attachTree mounts a detached tree in the calling thread's mount namespace.
func attachTree(fd int, path string) error {
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mounting on %q: %w", path, err)
	}
	// The copy belongs to its source's peer group: without this, what is mounted
	// below would appear on the host.
	if err := unix.Mount("", path, "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("parting %q from the host's mounts: %w", path, err)
	}
	return nil
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("setting up the loopback: %w", err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("setting up the loopback: %w", err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("setting up the loopback: %w", err)
	}
	return nil
}

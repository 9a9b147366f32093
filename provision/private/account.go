package private

import (
	"fmt"
	"os/user"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// account is whom guests run as.
type account struct {
	name, group string
	uid, gid    int
	groups      []int // all of them
}

// qemuAccount is the account that the distribution's package made for guests
// (Debian and Ubuntu, or Fedora and SUSE), else root.
func qemuAccount() account {
	for _, name := range []string{"libvirt-qemu", "qemu"} {
		if a, err := lookUp(name); err == nil {
			return a
		}
	}
	return account{name: "root", group: "root"}
}

func lookUp(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil {
		return account{}, err
	}
	ids, err := u.GroupIds()
	if err != nil {
		return account{}, err
	}
	a := account{name: name, group: g.Name}
	if a.uid, err = strconv.Atoi(u.Uid); err != nil {
		return account{}, err
	}
	if a.gid, err = strconv.Atoi(u.Gid); err != nil {
		return account{}, err
	}
	for _, id := range ids {
		n, err := strconv.Atoi(id)
		if err != nil {
			return account{}, err
		}
		a.groups = append(a.groups, n)
	}
	return a, nil
}

// mayUse tells whether the account may read and write a file of these rights.
func (a account) mayUse(st unix.Stat_t) bool {
	switch {
	case a.uid == 0:
		return true
	case int(st.Uid) == a.uid:
		return st.Mode&0o600 == 0o600
	case int(st.Gid) == a.gid || slices.Contains(a.groups, int(st.Gid)):
		return st.Mode&0o060 == 0o060
	default:
		return st.Mode&0o006 == 0o006
	}
}

// openKVM gives the calling thread's mount namespace a /dev/kvm that QEMU's
// user may open, where the host's is for root alone: so it is wherever no udev
// runs. Leaving it would cost more than KVM: the probe of QEMU, which starts as
// root, finds it and libvirt's own check, as QEMU's user, does not, so libvirt
// throws the probe's result away and probes again, 0.7 s, in every call.
func openKVM(a account) error {
	var st unix.Stat_t
	if err := unix.Stat("/dev/kvm", &st); err != nil || a.mayUse(st) {
		return nil // without the device there is no KVM, and that is fine
	}
	const node = "/run/kvm"
	if err := unix.Mknod(node, unix.S_IFCHR|0o600, int(st.Rdev)); err != nil {
		return fmt.Errorf("making a /dev/kvm for %q: %w", a.name, err)
	}
	if err := unix.Chown(node, a.uid, a.gid); err != nil {
		return fmt.Errorf("making a /dev/kvm for %q: %w", a.name, err)
	}
	if err := unix.Mount(node, "/dev/kvm", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("making a /dev/kvm for %q: %w", a.name, err)
	}
	return nil
}

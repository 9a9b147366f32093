package private

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// signature is the first line of each file, by which the directory is known to
// be ours.
const signature = "# Written by labctl for its private hypervisor; changes are lost.\n"

// libvirtdConf: only root may connect, nobody asks polkit, and the host's
// identity is the directory's, so that two daemons are two hosts to a client.
const libvirtdConf = `unix_sock_group = "root"
unix_sock_ro_perms = "0700"
unix_sock_rw_perms = "0700"
auth_unix_ro = "none"
auth_unix_rw = "none"
mdns_adv = 0
host_uuid = "%s"
log_level = 3
log_outputs = "3:stderr"
`

// qemuConf, line by line:
//   - dynamic_ownership hands a guest's files to its user; that is all we need
//     of labels, and remembering former owners would want trusted.* attributes,
//     which not every filesystem has.
//   - security_driver: with AppArmor or SELinux libvirt would write profiles
//     into the host's /etc and load them into the host's kernel. The DAC driver
//     (an unprivileged user) stays on in any case.
//   - namespaces: a guest in a mount namespace of its own could not keep ours
//     alive; without, a crashed libvirtd can be started again beside its guests.
//   - cgroup_controllers, hugetlbfs_mount: both are trees of the host, in which
//     libvirt would make folders.
//   - stdio_handler: virtlogd rotates, so that a guest that floods its serial
//     port cannot fill the disk.
const qemuConf = `user = "%s"
group = "%s"
dynamic_ownership = 1
remember_owner = 0
security_driver = "none"
namespaces = [ ]
cgroup_controllers = [ ]
hugetlbfs_mount = [ ]
stdio_handler = "logd"
`

// virtlogdConf keeps at most 2 times 8 MiB of a guest's serial output: the
// newest part is never shorter than what a report shows.
const virtlogdConf = `log_level = 3
log_outputs = "3:stderr"
max_size = 8388608
max_backups = 1
`

func configure(dir string) error {
	account := qemuAccount()
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(markPrefix+dir))
	files := map[string]string{
		"libvirtd.conf": fmt.Sprintf(libvirtdConf, id),
		"qemu.conf":     fmt.Sprintf(qemuConf, account.name, account.group),
		"virtlogd.conf": virtlogdConf,
	}
	for name, content := range files {
		if err := writeWhole(filepath.Join(dir, "etc", name), []byte(signature+content)); err != nil {
			return fmt.Errorf("writing the private hypervisor's configuration: %w", err)
		}
	}
	return nil
}

// writeWhole replaces a file so that it is old or new at any moment.
func writeWhole(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	next := path + ".new"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

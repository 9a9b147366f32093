package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// masked are units that a node does not need, and that cost time at every boot
// or wake up later.
var masked = []string{
	"systemd-networkd-wait-online.service", "systemd-logind.service", "systemd-timesyncd.service",
	"systemd-firstboot.service", "systemd-hwdb-update.service", "systemd-update-done.service", "systemd-machine-id-commit.service",
	"systemd-journal-flush.service", "systemd-journal-catalog-update.service", "systemd-random-seed.service",
	"systemd-update-utmp.service", "systemd-user-sessions.service", "systemd-networkd-persistent-storage.service",
	"systemd-pstore.service", "systemd-udev-settle.service", "systemd-binfmt.service", "systemd-boot-update.service",
	"systemd-tpm2-setup.service", "systemd-tpm2-setup-early.service", "systemd-pcrphase.service", "systemd-vconsole-setup.service",
	"systemd-fsck-root.service", "systemd-rfkill.socket", "systemd-rfkill.service", "systemd-hostnamed.socket",
	"systemd-hibernate-clear.service", "systemd-battery-check.service", "systemd-sysext.service", "systemd-confext.service",
	"ldconfig.service", "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "systemd-tmpfiles-clean.timer",
	"e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "man-db.timer", "sshd-keygen.service",
	"getty.target", "getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service", "sshd-vsock.socket", "sshd-unix-local.socket", "ssh.socket",
	"rc-local.service", "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount", "sys-kernel-tracing.mount",
	"sys-fs-fuse-connections.mount", "sys-kernel-config.mount", "proc-sys-fs-binfmt_misc.automount",
	"modprobe@configfs.service", "modprobe@fuse.service", "modprobe@drm.service", "modprobe@efi_pstore.service", "modprobe@dm_mod.service", "modprobe@loop.service",
}

// enabled are units that start at boot, by the target that wants them. kubelet
// is not among them: before kubeadm has configured it, it would only restart.
// udev starts the QEMU guest agent where the guest has a port for it.
var enabled = map[string]string{
	"labctl-seed.service":      "sysinit.target",
	"systemd-networkd.service": "multi-user.target",
	"ssh.service":              "multi-user.target",
	"containerd.service":       "multi-user.target",
}

// fillPair makes the root file system of a Kubernetes node. lib holds the
// kernel's modules.
func (s *Store) fillPair(ctx context.Context, root string, v Variant, lib string, say func(string)) error {
	dirs := map[string]string{}
	for _, m := range moduleSets(v) {
		dir, err := s.programs(ctx, m, say)
		if err != nil {
			return err
		}
		dirs[m.name] = dir
	}
	guest, err := s.guestPrograms(ctx, say)
	if err != nil {
		return err
	}
	dirs["guest"] = guest
	archive, err := s.userland(ctx, Pair, say)
	if err != nil {
		return err
	}
	say("laying out the root file system")
	if err := unpack(ctx, archive, root); err != nil {
		return err
	}
	if err := s.loadImages(ctx, root, v, dirs, say); err != nil {
		return err
	}
	if _, err := run(ctx, nil, "cp", "-a", filepath.Join(lib, "modules"), filepath.Join(root, "usr/lib/modules")); err != nil {
		return err
	}
	releaseDirs, err := os.ReadDir(filepath.Join(lib, "modules"))
	if err != nil {
		return err
	}
	if _, err := run(ctx, nil, "chroot", root, "depmod", releaseDirs[0].Name()); err != nil {
		return fmt.Errorf("listing module dependencies: %w", err)
	}
	r := releases[slices.IndexFunc(releases, func(r release) bool { return r.version == v.Kubernetes })]
	if err := errors.Join(
		install(root, "usr/bin", dirs[r.file], "kubeadm", "kubelet", "kubectl"),
		install(root, "usr/bin", dirs["containerd"], "containerd", "containerd-shim-runc-v2", "ctr"),
		install(root, "opt/cni/bin", dirs["cni"], "bridge", "host-local", "loopback", "portmap"),
	); err != nil {
		return err
	}
	for _, recipe := range []string{"common", Pair} {
		if err := layRecipe(s.files, recipe, root); err != nil {
			return fmt.Errorf("laying the files of recipe %q: %w", recipe, err)
		}
	}
	return s.settlePair(root)
}

// loadImages fills the node's containerd store.
func (s *Store) loadImages(ctx context.Context, root string, v Variant, dirs map[string]string, say func(string)) error {
	say("assembling container images")
	tools, err := toolsLayer(root, s.lock.Epoch)
	if err != nil {
		return err
	}
	r := releases[slices.IndexFunc(releases, func(r release) bool { return r.version == v.Kubernetes })]
	images := root + ".images.tar"
	defer os.Remove(images)
	if err := writeContainers(images, containers(r, dirs), tools, s.lock.Epoch); err != nil {
		return err
	}
	say("loading container images")
	if err := loadContainers(ctx, root, dirs["containerd"], images); err != nil {
		return err
	}
	return cleanStore(root, s.lock.Epoch)
}

// settlePair removes what differs from build to build or belongs to one
// machine, and sets which units start.
func (s *Store) settlePair(root string) error {
	links := map[string]string{"etc/mtab": "/proc/self/mounts"}
	for _, unit := range masked {
		links["etc/systemd/system/"+unit] = "/dev/null"
	}
	for unit, target := range enabled {
		links["etc/systemd/system/"+target+".wants/"+unit] = "/usr/lib/systemd/system/" + unit
	}
	links["etc/systemd/system/default.target"] = "/usr/lib/systemd/system/multi-user.target"
	// What packages enabled for themselves is not what a node needs.
	wants, err := filepath.Glob(filepath.Join(root, "etc/systemd/system/*.wants"))
	if err != nil {
		return err
	}
	keys, err := filepath.Glob(filepath.Join(root, "etc/ssh/ssh_host_*"))
	if err != nil {
		return err
	}
	for _, path := range append(append(keys, wants...), filepath.Join(root, "var/lib/dbus/machine-id"), filepath.Join(root, "var/cache/ldconfig/aux-cache")) {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return errors.Join(
		purge(root, "var/log", "var/cache/apt", "var/lib/apt/lists", "tmp", "run", "var/cache/debconf", "etc/apt/sources.list.d"),
		link(root, links),
		write(root, map[string]string{
			"etc/machine-id":       "",
			"etc/apt/sources.list": "# A node installs nothing: what it needs is in its image.\n",
		}),
	)
}

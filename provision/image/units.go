package image

// masked are units that a node does not need, and that cost time at every boot
// or wake up later. haproxy, nftables and ipvsadm are not among them: they only
// do not start by themselves, and a lab may start them.
var masked = []string{
	// A machine's first boot, its upkeep, its clock, its users.
	"systemd-firstboot.service", "systemd-hwdb-update.service", "systemd-update-done.service", "systemd-sysusers.service",
	"systemd-machine-id-commit.service", "systemd-journal-catalog-update.service", "ldconfig.service", "sshd-keygen.service",
	"apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "systemd-tmpfiles-clean.timer",
	"e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "systemd-timesyncd.service",
	"systemd-logind.service", "systemd-update-utmp.service", "systemd-user-sessions.service",
	// What is kept over a reboot: a node that is thrown away keeps nothing.
	"systemd-journal-flush.service", "systemd-random-seed.service", "systemd-networkd-persistent-storage.service",
	"systemd-pstore.service", "systemd-rfkill.socket", "systemd-rfkill.service",
	// Hardware and firmware that a guest does not have.
	"systemd-boot-update.service", "systemd-tpm2-setup.service", "systemd-tpm2-setup-early.service", "systemd-pcrphase.service",
	"systemd-vconsole-setup.service", "systemd-hibernate-clear.service", "systemd-battery-check.service",
	"modprobe@configfs.service", "modprobe@fuse.service", "modprobe@drm.service", "modprobe@efi_pstore.service",
	"modprobe@dm_mod.service", "modprobe@loop.service", "systemd-udev-settle.service", "systemd-udev-load-credentials.service",
	// Mounts that nothing here uses; /tmp on the disk leaves the memory to Pods.
	"tmp.mount", "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount", "sys-kernel-tracing.mount",
	"sys-fs-fuse-connections.mount", "sys-kernel-config.mount", "proc-sys-fs-binfmt_misc.automount", "systemd-binfmt.service",
	"systemd-fsck-root.service", "systemd-remount-fs.service", "systemd-sysext.service", "systemd-confext.service",
	// Ways in that are not sshd's.
	"getty.target", "getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service",
	"sshd-vsock.socket", "sshd-unix-local.socket", "ssh.socket", "systemd-hostnamed.socket", "rc-local.service",
	// The address is static; kubelet only waits for networkd.
	"systemd-networkd-wait-online.service",
	// labctl-modules.service does it later.
	"systemd-modules-load.service",
}

// maskedGenerators would each be a program to run before the first unit starts,
// and find nothing to generate.
var maskedGenerators = []string{
	"systemd-getty-generator", "systemd-gpt-auto-generator", "systemd-hibernate-resume-generator", "systemd-rc-local-generator",
	"systemd-ssh-generator", "systemd-system-update-generator", "systemd-sysv-generator", "systemd-tpm2-generator",
}

// enabled are units that start at boot, by the target that wants them. kubelet
// is not among them: before kubeadm has configured it, it would only restart.
// udev starts the QEMU guest agent where the guest has a port for it.
var enabled = map[string]string{
	"labctl-seed.service":      "sysinit.target",
	"labctl-modules.service":   "multi-user.target",
	"systemd-networkd.service": "multi-user.target",
	"ssh.service":              "multi-user.target",
	"containerd.service":       "multi-user.target",
}

// unitLinks are the links by which systemd knows all that.
func unitLinks() map[string]string {
	const etc = "etc/systemd/"
	links := map[string]string{etc + "system/default.target": "/usr/lib/systemd/system/multi-user.target"}
	for _, unit := range masked {
		links[etc+"system/"+unit] = "/dev/null"
	}
	for _, generator := range maskedGenerators {
		links[etc+"system-generators/"+generator] = "/dev/null"
	}
	for unit, target := range enabled {
		links[etc+"system/"+target+".wants/"+unit] = "/usr/lib/systemd/system/" + unit
	}
	return links
}

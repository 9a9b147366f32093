package private

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// folder is one that libvirt's programs have compiled in, and the folder of the
// directory that takes its place.
type folder struct{ own, compiled string }

// layout returns these folders. /run/libvirt comes last: it needs the private
// /run, which would hide the others' sources.
func layout() []folder {
	return []folder{
		{own: "etc", compiled: "/etc/libvirt"},
		{own: "lib", compiled: "/var/lib/libvirt"},
		{own: "cache", compiled: "/var/cache/libvirt"},
		{own: "log", compiled: "/var/log/libvirt"},
		{own: "run", compiled: "/run/libvirt"},
	}
}

// sharedFolder holds the read-only folders, in the directory and inside.
const sharedFolder = "shared"

// layOut makes the folders and writes the configuration. The directory itself
// is closed to others; these folders are open, since QEMU's user reaches them
// by the other road, through the mounts.
func layOut(dir string) error {
	for _, f := range layout() {
		if err := openFolder(filepath.Join(dir, f.own)); err != nil {
			return err
		}
	}
	for _, name := range []string{
		// Debian's package does not make this one, and without it a network does
		// not start, even one without DHCP.
		"lib/dnsmasq",
		"lib/images",
		"log/qemu",
		"lib/" + sharedFolder,
	} {
		if err := openFolder(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return configure(dir)
}

// ours tells whether the folders in the directory are ours to write and to
// remove: that a directory has an "etc" says nothing.
func ours(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, lockName)); err == nil {
		return true
	}
	conf, err := os.ReadFile(filepath.Join(dir, "etc", libvirtd+".conf"))
	return err == nil && bytes.HasPrefix(conf, []byte(signature))
}

// usable refuses a directory in which someone else has a folder of our names.
func usable(dir string) error {
	if ours(dir) {
		return nil
	}
	for _, f := range layout() {
		path := filepath.Join(dir, f.own)
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("laying out the private hypervisor: %q exists and is not ours", path)
		}
	}
	return nil
}

// openFolder makes a folder that everybody may pass, whatever the umask.
func openFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("laying out the private hypervisor: %w", err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("laying out the private hypervisor: %w", err)
	}
	return nil
}

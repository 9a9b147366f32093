package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"labctl/provision"
	"labctl/provision/libvirt"
	"labctl/provision/private"
)

// privateName is the --hypervisor value for a libvirtd of our own.
const privateName = "private"

// privateDir is where a pair keeps its private hypervisor.
func privateDir(pairDir string) string { return filepath.Join(pairDir, "hypervisor") }

// chooseHypervisor turns the user's wish into "private" or a libvirt URI: what
// was asked for, else LIBVIRT_DEFAULT_URI, else the system's libvirt if this
// user may use it, else private.
func (a *app) chooseHypervisor(ctx context.Context, wish string) (string, error) {
	if wish == "" || wish == "auto" {
		wish = a.getenv("LIBVIRT_DEFAULT_URI")
	}
	switch {
	case wish == privateName || strings.Contains(wish, "://") || strings.Contains(wish, ":///"):
		return wish, nil
	case wish != "":
		return "", usagef(`use "auto", "private" or a libvirt URI such as qemu:///system`, "choosing hypervisor %q", wish)
	}
	const system = "qemu:///system"
	hv, err := libvirt.Open(ctx, libvirt.Options{URI: system})
	if err != nil {
		return privateName, nil // whatever is wrong with it, doctor tells
	}
	defer hv.Close()
	return system, nil
}

// openHypervisor opens the place where a pair's domains run. A private
// hypervisor is started if it does not run yet, unless find says to only look.
func (a *app) openHypervisor(ctx context.Context, name, pairDir string, find bool) (provision.Hypervisor, error) {
	if name != privateName {
		return libvirt.Open(ctx, libvirt.Options{URI: name})
	}
	dir := privateDir(pairDir)
	cache, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	var d *private.Daemon
	if find {
		var ok bool
		if d, ok, err = private.Find(dir); err == nil && !ok {
			err = fmt.Errorf("finding private hypervisor %q: %w", dir, provision.ErrNotFound)
		}
	} else {
		d, err = private.Ensure(ctx, dir, private.Options{ReadOnly: []string{cache}})
	}
	if err != nil {
		return nil, err
	}
	return libvirt.Open(ctx, libvirt.Options{
		URI: "qemu:///system", Socket: d.Socket, DialNode: d.Dial,
		ReadsLocalFiles: true, Visible: d.Visible,
	})
}

// chooseAccelerator turns the user's wish into an accelerator, with the reason.
func chooseAccelerator(facts provision.Facts, wish string) (provision.Accelerator, string, error) {
	switch wish {
	case "", "auto":
		if facts.KVM {
			return provision.KVM, "the CPU and the hypervisor offer it", nil
		}
		return provision.TCG, facts.WhyNot, nil
	case string(provision.KVM), string(provision.TCG):
		return provision.Accelerator(wish), "asked for", nil
	}
	return "", "", usagef(`use "auto", "kvm" or "tcg"`, "choosing accelerator %q", wish)
}

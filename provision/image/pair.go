package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fillPair makes the root file system of a Kubernetes node.
func (s *Store) fillPair(ctx context.Context, root string, v Variant, kernel kernelFiles, say func(string)) error {
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
	if err := installKernel(ctx, root, kernel); err != nil {
		return err
	}
	r := findRelease(v.Kubernetes)
	if err := errors.Join(
		install(root, "usr/bin", dirs[r.file], "kubeadm", "kubelet", "kubectl"),
		install(root, "usr/bin", dirs["containerd"], "containerd", "containerd-shim-runc-v2", "ctr"),
		install(root, "usr/bin", dirs["guest"], "injector"),
		installData(root, "usr/share/metallb", dirs["metallb"], metallbManifest),
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
	r := findRelease(v.Kubernetes)
	list := containers(r, dirs)
	if err := checkImages(ctx, r, filepath.Join(dirs[r.file], "kubeadm"), list); err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(dirs["metallb"], metallbManifest))
	if err != nil {
		return err
	}
	if err := checkManifest(string(manifest), list); err != nil {
		return err
	}
	images := root + ".images.tar"
	defer os.Remove(images)
	if err := writeContainers(images, list, tools, s.lock.Epoch); err != nil {
		return err
	}
	say("loading container images")
	if err := loadContainers(ctx, root, dirs["containerd"], images); err != nil {
		return err
	}
	return cleanStore(root, s.lock.Epoch)
}

// checkImages asks kubeadm which images it will want, and makes sure that the
// node has each under that very name: it can pull none.
func checkImages(ctx context.Context, r release, kubeadm string, list []container) error {
	wanted, err := run(ctx, nil, kubeadm, "config", "images", "list", "--kubernetes-version", r.version)
	if err != nil {
		return fmt.Errorf("asking kubeadm for its images: %w", err)
	}
	for name := range strings.FieldsSeq(wanted) {
		if !made(list, name) {
			return fmt.Errorf("checking container images: kubeadm %s wants %q, which is not made", r.version, name)
		}
	}
	return nil
}

var imageLine = regexp.MustCompile(`(?m)^\s*(?:- )?image: *"?([^"\s]+)"?\s*$`)

// checkManifest makes sure that the node has what MetalLB's manifest wants.
func checkManifest(manifest string, list []container) error {
	wanted := imageLine.FindAllStringSubmatch(manifest, -1)
	if len(wanted) == 0 {
		return fmt.Errorf("checking container images: %q names none", metallbManifest)
	}
	for _, m := range wanted {
		if !made(list, m[1]) {
			return fmt.Errorf("checking container images: %q wants %q, which is not made", metallbManifest, m[1])
		}
	}
	return nil
}

func made(list []container, name string) bool {
	return slices.ContainsFunc(list, func(c container) bool { return slices.Contains(c.names, name) })
}

// settlePair removes what differs from build to build or belongs to one
// machine, and sets which units start.
func (s *Store) settlePair(root string) error {
	links := unitLinks()
	links["etc/mtab"] = "/proc/self/mounts"
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
		// Python writes what it imports while packages are set up as bytecode whose
		// bytes differ from run to run, not from what is in it.
		purge(root, "usr/share/python3/debpython/__pycache__"),
		purge(root, "var/log", "var/cache/apt", "var/lib/apt/lists", "tmp", "run", "var/cache/debconf", "etc/apt/sources.list.d"),
		link(root, links),
		write(root, map[string]string{
			"etc/machine-id":       "",
			"etc/apt/sources.list": "# A node installs nothing: what it needs is in its image.\n",
		}),
	)
}

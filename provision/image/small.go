package image

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// fillSmall makes the root file system of a Small image.
func (s *Store) fillSmall(ctx context.Context, root string, _ Variant, _ kernelFiles, say func(string)) error {
	archive, err := s.userland(ctx, Small, say)
	if err != nil {
		return err
	}
	if err := unpack(ctx, archive, root); err != nil {
		return err
	}
	applets, err := run(ctx, nil, filepath.Join(root, "usr/bin/busybox"), "--list-full")
	if err != nil {
		return fmt.Errorf("listing what busybox can do: %w", err)
	}
	links := map[string]string{}
	for applet := range strings.Lines(applets) {
		name := filepath.Base(strings.TrimSpace(applet))
		for _, folder := range []string{"usr/bin", "usr/sbin"} {
			if exists(filepath.Join(root, folder, name)) {
				name = ""
				break
			}
		}
		if name != "" {
			links["usr/bin/"+name] = "busybox"
		}
	}
	links["usr/sbin/init"] = "../bin/busybox"
	links["etc/mtab"] = "/proc/self/mounts"
	if err := link(root, links); err != nil {
		return err
	}
	for _, recipe := range []string{"common", Small} {
		if err := layRecipe(s.files, recipe, root); err != nil {
			return fmt.Errorf("laying the files of recipe %q: %w", recipe, err)
		}
	}
	for _, folder := range []string{"proc", "sys", "dev", "run", "tmp", "root", "home", "var/log", "var/tmp"} {
		if err := mkdir(filepath.Join(root, folder)); err != nil {
			return err
		}
	}
	return purge(root, "usr/share/doc", "etc/systemd", "usr/lib/systemd")
}

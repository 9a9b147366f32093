package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// assemble makes an image's files in dir.
func assemble(ctx context.Context, s *Store, id string, v Variant, dir string, say func(string)) error {
	if os.Geteuid() != 0 {
		return ErrNotRoot
	}
	kernel, err := s.kernel(ctx, v.Kernel, say)
	if err != nil {
		return err
	}
	guest, err := s.guestPrograms(ctx, say)
	if err != nil {
		return err
	}
	image := Image{ID: id, Variant: v, KernelRelease: kernel.release}
	fill := s.fillPair
	image.DiskBytes, image.MemoryMiB = 12<<30, 1024
	if v.Recipe == Small {
		fill = s.fillSmall
		image.DiskBytes, image.MemoryMiB = 512<<20, 96
	}
	root := filepath.Join(dir, "root")
	defer os.RemoveAll(root)
	if err := fill(ctx, root, v, kernel, say); err != nil {
		return err
	}
	if err := oneTime(root, s.lock.Epoch); err != nil {
		return fmt.Errorf("setting times: %w", err)
	}
	say("writing the disk")
	manifest, err := takeManifest(root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(manifest.String()), 0o644); err != nil {
		return err
	}
	if err := writeDisk(ctx, root, filepath.Join(dir, diskFile), id, s.lock.Epoch, image.DiskBytes); err != nil {
		return err
	}
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	vmlinuz, err := os.ReadFile(filepath.Join(kernel.dir, kernelFile))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, kernelFile), vmlinuz, 0o644),
		writeInitrd(ctx, filepath.Join(dir, initrdFile), filepath.Join(guest, "init"), kernel.modules()),
		describe(dir, image),
	)
}

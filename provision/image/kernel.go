package image

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// kernelFiles is a folder with vmlinuz, config and lib/modules/RELEASE.
type kernelFiles struct{ dir, release string }

// modules is the folder of the kernel's modules.
func (k kernelFiles) modules() string { return filepath.Join(k.dir, "lib/modules", k.release) }

// kernel unpacks the variant's kernel package.
func (s *Store) kernel(ctx context.Context, series string, say func(string)) (kernelFiles, error) {
	lock := s.lock.Set("kernel-" + series)
	if len(lock.Packages) != 1 {
		return kernelFiles{}, fmt.Errorf("unpacking kernel %q: image.lock pins %d packages for it, not one", series, len(lock.Packages))
	}
	pinned := lock.Packages[0]
	release := strings.TrimPrefix(pinned.Name, "linux-image-")
	dir, err := s.step(ctx, "kernel-"+series, s.kernelKey(series), say, func(dir string) error {
		if err := s.fetch(ctx, lock.Packages, say); err != nil {
			return err
		}
		say("unpacking kernel " + release)
		raw := filepath.Join(dir, "raw")
		if _, err := run(ctx, nil, "dpkg-deb", "-x", s.debPath(pinned), raw); err != nil {
			return err
		}
		modules := filepath.Join(raw, "usr/lib/modules")
		if !exists(modules) {
			modules = filepath.Join(raw, "lib/modules")
		}
		if err := errors.Join(
			os.MkdirAll(filepath.Join(dir, "lib"), 0o755),
			os.Rename(modules, filepath.Join(dir, "lib/modules")),
			os.Rename(filepath.Join(raw, "boot/vmlinuz-"+release), filepath.Join(dir, kernelFile)),
			os.Rename(filepath.Join(raw, "boot/config-"+release), filepath.Join(dir, "config")),
			os.RemoveAll(raw),
		); err != nil {
			return err
		}
		return unpackModules(ctx, filepath.Join(dir, "lib/modules", release))
	})
	return kernelFiles{dir, release}, err
}

// unpackedModules are the parts of a kernel that a node loads from. Unpacking a
// module takes an emulated CPU longer than loading it.
var unpackedModules = []string{"kernel/net", "kernel/drivers/net", "kernel/fs/overlayfs", "kernel/lib"}

// unpackModules replaces packed modules by plain ones.
func unpackModules(ctx context.Context, modulesDir string) error {
	for _, part := range unpackedModules {
		err := filepath.WalkDir(filepath.Join(modulesDir, part), func(path string, _ fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !strings.HasSuffix(path, ".ko.xz") {
				return err
			}
			content, err := moduleContent(ctx, path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(strings.TrimSuffix(path, ".xz"), content, 0o644), os.Remove(path))
		})
		if err != nil {
			return fmt.Errorf("unpacking modules: %w", err)
		}
	}
	return nil
}

// installKernel puts a kernel's modules into a root, and its configuration,
// which kubeadm reads. The kernel itself is started from outside.
func installKernel(ctx context.Context, root string, kernel kernelFiles) error {
	config, err := os.ReadFile(filepath.Join(kernel.dir, "config"))
	if err != nil {
		return err
	}
	if err := write(root, map[string]string{"boot/config-" + kernel.release: string(config)}); err != nil {
		return err
	}
	if _, err := run(ctx, nil, "cp", "-r", filepath.Join(kernel.dir, "lib/modules"), filepath.Join(root, "usr/lib/modules")); err != nil {
		return err
	}
	if _, err := run(ctx, nil, "chroot", root, "depmod", kernel.release); err != nil {
		return fmt.Errorf("listing module dependencies: %w", err)
	}
	// The umask of whoever builds is nothing that an image should show.
	_, err = run(ctx, nil, "chmod", "-R", "u=rwX,go=rX", filepath.Join(root, "usr/lib/modules"))
	return err
}

// kernelKey names a kernel: the same key, the same files.
func (s *Store) kernelKey(series string) string {
	return digest(s.lock.Set("kernel-"+series).String(), fmt.Sprint(Format))
}

// moduleFiles returns the files of these modules, unpacked, each after those it
// depends on. A module that has no file is built into the kernel.
func moduleFiles(ctx context.Context, modulesDir string, names ...string) ([]moduleFile, error) {
	paths := map[string]string{}
	err := filepath.WalkDir(modulesDir, func(path string, entry fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".ko") {
			paths[moduleName(path)] = path
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for modules: %w", err)
	}
	var files []moduleFile
	taken := map[string]bool{}
	var take func(name string) error
	take = func(name string) error {
		path, found := paths[name]
		if !found || taken[name] {
			return nil
		}
		taken[name] = true
		content, err := moduleContent(ctx, path)
		if err != nil {
			return fmt.Errorf("reading module %q: %w", name, err)
		}
		needs, err := moduleNeeds(content)
		if err != nil {
			return fmt.Errorf("reading module %q: %w", name, err)
		}
		for _, need := range needs {
			if err := take(need); err != nil {
				return err
			}
		}
		files = append(files, moduleFile{name + ".ko", content})
		return nil
	}
	for _, name := range names {
		if err := take(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// moduleFile is a module as the kernel wants it.
type moduleFile struct {
	name    string
	content []byte
}

// moduleNeeds are the modules that a module says it depends on.
func moduleNeeds(content []byte) ([]string, error) {
	object, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	section := object.Section(".modinfo")
	if section == nil {
		return nil, errors.New("it has no .modinfo")
	}
	info, err := section.Data()
	if err != nil {
		return nil, err
	}
	for field := range strings.SplitSeq(string(info), "\x00") {
		if list, found := strings.CutPrefix(field, "depends="); found && list != "" {
			return strings.Split(strings.ReplaceAll(list, "-", "_"), ","), nil
		}
	}
	return nil, nil
}

// moduleContent returns a kernel module, unpacked if it is packed.
func moduleContent(ctx context.Context, path string) ([]byte, error) {
	if strings.HasSuffix(path, ".xz") {
		content, err := run(ctx, nil, "xz", "-dc", path)
		return []byte(content), err
	}
	return os.ReadFile(path)
}

// moduleName is the name that lsmod shows for a module file.
func moduleName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

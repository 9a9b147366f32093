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

// kernel unpacks the variant's kernel package and returns the folder: vmlinuz,
// and lib/modules/RELEASE.
func (s *Store) kernel(ctx context.Context, series string, say func(string)) (dir, release string, err error) {
	lock := s.lock.Set("kernel-" + series)
	if len(lock.Packages) != 1 {
		return "", "", fmt.Errorf("unpacking kernel %q: image.lock pins %d packages for it, not one", series, len(lock.Packages))
	}
	pinned := lock.Packages[0]
	release = strings.TrimPrefix(pinned.Name, "linux-image-")
	dir, err = s.step(ctx, "kernel-"+series, s.kernelKey(series), say, func(dir string) error {
		if err := s.fetch(ctx, lock.Packages, say); err != nil {
			return err
		}
		say("unpacking kernel " + release)
		raw := filepath.Join(dir, "raw")
		if _, err := run(ctx, nil, "dpkg-deb", "-x", s.debPath(pinned), raw); err != nil {
			return err
		}
		modules := filepath.Join(raw, "usr/lib/modules")
		if _, err := os.Stat(modules); err != nil {
			modules = filepath.Join(raw, "lib/modules")
		}
		return errors.Join(
			os.MkdirAll(filepath.Join(dir, "lib"), 0o755),
			os.Rename(modules, filepath.Join(dir, "lib/modules")),
			os.Rename(filepath.Join(raw, "boot/vmlinuz-"+release), filepath.Join(dir, kernelFile)),
			os.RemoveAll(raw),
		)
	})
	return dir, release, err
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

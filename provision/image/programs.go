package image

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// programs compiles a module's programs and returns the folder that holds them.
func (s *Store) programs(ctx context.Context, m module, say func(string)) (string, error) {
	key, err := m.key(s.files, s.lock)
	if err != nil {
		return "", err
	}
	return s.step(ctx, "programs-"+m.name, key, say, func(dir string) error {
		say("compiling " + m.name)
		work, err := s.scratch("module-")
		if err != nil {
			return err
		}
		defer work.remove()
		source := work.path
		for from, to := range map[string]string{".mod": "go.mod", ".sum": "go.sum"} {
			if err := copyOut(s.files, "modules/"+m.name+from, filepath.Join(source, to), 0o644); err != nil {
				return err
			}
		}
		if err := s.goBuild(ctx, source, dir, m.tags, m.ldflags, m.packages); err != nil {
			return fmt.Errorf("compiling module %q: %w", m.name, err)
		}
		for from, to := range m.rename {
			if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
				return err
			}
		}
		return s.sourceFiles(ctx, source, dir, m)
	})
}

// sourceFiles copies the files of a module's source that go with its programs.
func (s *Store) sourceFiles(ctx context.Context, work, dir string, m module) error {
	if len(m.files) == 0 {
		return nil
	}
	source, err := run(ctx, s.goEnv(), "go", "-C", work, "list", "-m", "-f={{.Dir}}", m.source)
	if err != nil {
		return fmt.Errorf("finding the source of module %q: %w", m.source, err)
	}
	for _, file := range m.files {
		content, err := os.ReadFile(filepath.Join(strings.TrimSpace(source), file))
		if err != nil {
			return fmt.Errorf("copying %q of module %q: %w", file, m.source, err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// guestPrograms compiles the programs of our own that run in a guest.
func (s *Store) guestPrograms(ctx context.Context, say func(string)) (string, error) {
	key, err := s.guestKey()
	if err != nil {
		return "", err
	}
	return s.step(ctx, "programs-guest", key, say, func(dir string) error {
		say("compiling guest programs")
		work, err := s.scratch("module-")
		if err != nil {
			return err
		}
		defer work.remove()
		source := work.path
		language := strings.TrimPrefix(s.lock.Go, "go")
		if err := os.WriteFile(filepath.Join(source, "go.mod"), []byte("module guest\n\ngo "+language+"\n"), 0o644); err != nil {
			return err
		}
		names, err := s.copyGuests(source)
		if err != nil {
			return err
		}
		return s.goBuild(ctx, source, dir, "", "", names)
	})
}

// copyGuests lays out the sources of the guest programs, a package each, and
// returns the packages.
func (s *Store) copyGuests(target string) ([]string, error) {
	var packages []string
	folders, err := fs.ReadDir(s.files, "guest")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		name := folder.Name()
		packages = append(packages, "guest/"+name)
		if err := os.Mkdir(filepath.Join(target, name), 0o755); err != nil {
			return nil, err
		}
		files, err := fs.ReadDir(s.files, "guest/"+name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if goTest(file.Name()) {
				continue
			}
			if err := copyOut(s.files, "guest/"+name+"/"+file.Name(), filepath.Join(target, name, file.Name()), 0o644); err != nil {
				return nil, err
			}
		}
	}
	return packages, nil
}

// goTest tells whether a file is a test of a guest program: it is embedded with
// them, and nothing is made of it.
func goTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// guestKey names the guest programs.
func (s *Store) guestKey() (string, error) {
	tree, err := digestTree(s.files, "guest")
	return digest(s.lock.Go, tree), err
}

// goBuild compiles packages with the pinned toolchain, in one go so that what
// they share is compiled once.
func (s *Store) goBuild(ctx context.Context, source, target, tags, ldflags string, packages []string) error {
	args := []string{"-C", source, "build", "-trimpath", "-buildvcs=false", "-tags=" + tags, "-ldflags=" + strings.TrimSpace("-s -w "+ldflags), "-o", target + "/"}
	_, err := run(ctx, s.goEnv(), "go", append(args, packages...)...)
	return err
}

// goEnv is what the go command sees, so that nothing of the user's own settings
// gets into an image.
func (s *Store) goEnv() []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=-mod=readonly", "GOWORK=off",
		"GOEXPERIMENT=", "GO111MODULE=on", "GOTOOLCHAIN=" + s.lock.Go,
	}
}

// copyOut writes one embedded file to disk.
func copyOut(files fs.FS, from, to string, mode os.FileMode) error {
	content, err := fs.ReadFile(files, from)
	if err != nil {
		return fmt.Errorf("copying %q: %w", from, err)
	}
	if err := os.WriteFile(to, content, mode); err != nil {
		return fmt.Errorf("copying %q: %w", from, err)
	}
	// The umask may have taken bits away.
	return os.Chmod(to, mode)
}

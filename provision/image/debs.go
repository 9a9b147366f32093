package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// debPath is where the cache keeps a package: named by content.
func (s *Store) debPath(p Package) string {
	return filepath.Join(s.dir, "debs", p.SHA256+".deb")
}

// fetch makes every package be in the cache, whole. Nothing is asked of the
// network for a package that is there.
func (s *Store) fetch(ctx context.Context, packages []Package, say func(string)) error {
	var missing []Package
	for _, p := range packages {
		if _, err := os.Stat(s.debPath(p)); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	mirror, err := mirror(ctx)
	if err != nil {
		return err
	}
	say(fmt.Sprintf("fetching %d Debian packages", len(missing)))
	if err := os.MkdirAll(filepath.Join(s.dir, "debs"), 0o755); err != nil {
		return err
	}
	work, err := s.scratch("debs-")
	if err != nil {
		return err
	}
	defer work.remove()
	dir := work.path
	var args []string
	for _, p := range missing {
		args = append(args, mirror+"/"+p.Path, filepath.Join(dir, p.SHA256), "SHA256:"+p.SHA256)
	}
	_, fetchErr := run(ctx, nil, "/usr/lib/apt/apt-helper", append([]string{"-o", "APT::Sandbox::User=root", "download-file"}, args...)...)
	// What arrived is kept even if something else did not.
	for _, p := range missing {
		if sum, err := fileSHA256(filepath.Join(dir, p.SHA256)); err != nil || sum != p.SHA256 {
			if fetchErr == nil {
				fetchErr = fmt.Errorf("its content is not what image.lock pins")
			}
			if ctx.Err() == nil {
				err = &PackageError{Package: p, Cause: fetchErr}
			} else {
				err = fetchErr
			}
			return err
		}
		if err := os.Rename(filepath.Join(dir, p.SHA256), s.debPath(p)); err != nil {
			return fmt.Errorf("keeping package %q: %w", p.Name, err)
		}
	}
	return nil
}

// fileSHA256 hashes a file.
func fileSHA256(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("hashing %q: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// flatArchive writes a package index that lists exactly these packages, and
// links to them, so that apt can install nothing else.
func (s *Store) flatArchive(ctx context.Context, dir string, packages []Package) error {
	var index strings.Builder
	for _, p := range packages {
		control, err := run(ctx, nil, "dpkg-deb", "-f", s.debPath(p))
		if err != nil {
			return fmt.Errorf("reading package %q: %w", p.Name, err)
		}
		info, err := os.Stat(s.debPath(p))
		if err != nil {
			return err
		}
		if err := linkOrCopy(s.debPath(p), filepath.Join(dir, p.SHA256+".deb")); err != nil {
			return fmt.Errorf("listing package %q: %w", p.Name, err)
		}
		fmt.Fprintf(&index, "%s\nFilename: ./%s.deb\nSize: %d\nSHA256: %s\n\n", strings.TrimSpace(control), p.SHA256, info.Size(), p.SHA256)
	}
	return os.WriteFile(filepath.Join(dir, "Packages"), []byte(index.String()), 0o644)
}

// linkOrCopy gives a file a second name, or a second life where the two places
// are on different file systems.
func linkOrCopy(from, to string) error {
	err := os.Link(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

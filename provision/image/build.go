package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Build makes the image of a variant, or returns the one that is there. Two
// builds of the same image wait for each other. say gets one line for each part
// of the work. Only a whole image appears under its final name, and what was
// finished before an interruption is not made again.
func (s *Store) Build(ctx context.Context, v Variant, say func(string)) (Image, error) {
	image, err := s.Find(v)
	var missing *NotBuiltError
	if !errors.As(err, &missing) {
		return image, err
	}
	id := missing.ID
	release, err := s.hold(ctx, id, say)
	if err != nil {
		return Image{}, err
	}
	defer release()
	// Whoever held the lock before may have built it.
	if image, err = s.load(id); !errors.Is(err, fs.ErrNotExist) {
		return image, err
	}
	work, err := s.scratch("image-")
	if err != nil {
		return Image{}, fmt.Errorf("building image %q: %w", id, err)
	}
	defer work.remove()
	if err := s.assemble(ctx, s, id, missing.Variant, work.path, say); err != nil {
		return Image{}, fmt.Errorf("building image %q: %w", id, err)
	}
	if err := publish(work.path, filepath.Join(s.dir, "images", id)); err != nil {
		return Image{}, fmt.Errorf("building image %q: %w", id, err)
	}
	return s.load(id)
}

// describe sums the finished files up and writes image.json.
func describe(dir string, image Image) error {
	image.SHA256 = map[string]string{}
	for _, name := range []string{diskFile, kernelFile, initrdFile, manifestFile} {
		sum, err := fileSHA256(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		image.SHA256[name] = sum
		// Guests do not run as whoever builds.
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(image, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, imageFile), append(text, '\n'), 0o644)
}

// publish moves a finished file or folder under its final name, content first.
func publish(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !(entry.IsDir() || entry.Type().IsRegular()) {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
	if err != nil {
		return fmt.Errorf("writing %q to disk: %w", from, err)
	}
	if err := os.Chmod(from, 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// step returns the path of something that can be kept between builds, and makes
// it first if it is not there: make fills a folder, which then gets its final
// name in one move.
func (s *Store) step(ctx context.Context, name, key string, say func(string), make func(dir string) error) (string, error) {
	final := filepath.Join(s.dir, "steps", stepName(name, key))
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	release, err := s.hold(ctx, filepath.Base(final), say)
	if err != nil {
		return "", err
	}
	defer release()
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	work, err := s.scratch(name + "-")
	if err != nil {
		return "", err
	}
	defer work.remove()
	if err := make(work.path); err != nil {
		return "", err
	}
	return final, publish(work.path, final)
}

// stepName is the name in the cache of something made from what key hashes.
func stepName(name, key string) string { return name + "-" + key[:16] }

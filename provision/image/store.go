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

// Image is a built image. Its files are never written again.
type Image struct {
	// ID is the recipe's name and a hash of all inputs.
	ID      string  `json:"id"`
	Variant Variant `json:"variant"`
	// KernelRelease is what uname -r says in a guest.
	KernelRelease string `json:"kernelRelease"`
	// MemoryMiB is the least memory with which a guest boots to SSH.
	MemoryMiB int `json:"memoryMiB"`
	// DiskBytes is the size a guest sees; the file is smaller.
	DiskBytes int64 `json:"diskBytes"`
	// SHA256 of each file, by its name in Dir.
	SHA256 map[string]string `json:"sha256"`

	// Dir holds the files; the others are paths in it.
	Dir    string `json:"-"`
	Disk   string `json:"-"`
	Kernel string `json:"-"`
	Initrd string `json:"-"`
}

// The files of an image's folder.
const (
	diskFile     = "disk.qcow2"
	kernelFile   = "vmlinuz"
	initrdFile   = "initrd.img"
	manifestFile = "manifest.txt"
	imageFile    = "image.json"
)

// Store is the cache of images and of what they are made from.
type Store struct {
	dir   string
	files fs.FS
	lock  Lock
	// assemble fills dir with an image's files. It is a field so that tests of
	// the store need not build a real image.
	assemble func(ctx context.Context, s *Store, id string, v Variant, dir string, say func(string)) error
}

// Open opens the cache in dir. The folder is made by whatever is put into it.
func Open(dir string) (*Store, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening image cache %q: %w", dir, err)
	}
	text, err := fs.ReadFile(sources, "image.lock")
	if err != nil {
		return nil, fmt.Errorf("opening image cache %q: %w", dir, err)
	}
	lock, err := ParseLock(string(text))
	if err != nil {
		return nil, err
	}
	return open(absolute, sources, lock)
}

func open(dir string, files fs.FS, lock Lock) (*Store, error) {
	return &Store{dir: dir, files: files, lock: lock, assemble: assemble}, nil
}

// UseLock returns a store that builds from another lock than the program's own.
func (s *Store) UseLock(lock Lock) *Store {
	other := *s
	other.lock = lock
	return &other
}

// CurrentLock is the lock that this store builds from.
func (s *Store) CurrentLock() Lock { return s.lock }

// ID tells which image a variant is, whether it is built or not.
func (s *Store) ID(v Variant) (string, error) {
	v, err := v.complete()
	if err != nil {
		return "", err
	}
	return identity(s.files, s.lock, v)
}

// Find returns the image of a variant. NotBuiltError if the cache lacks it.
func (s *Store) Find(v Variant) (Image, error) {
	v, err := v.complete()
	if err != nil {
		return Image{}, err
	}
	id, err := identity(s.files, s.lock, v)
	if err != nil {
		return Image{}, err
	}
	image, err := s.load(id)
	if errors.Is(err, fs.ErrNotExist) {
		return Image{}, &NotBuiltError{Variant: v, ID: id}
	}
	return image, err
}

// Get returns the image of this identity. UnknownError if the cache lacks it.
func (s *Store) Get(id string) (Image, error) {
	image, err := s.load(id)
	if !errors.Is(err, fs.ErrNotExist) {
		return image, err
	}
	all, err := s.List()
	if err != nil {
		return Image{}, err
	}
	unknown := &UnknownError{ID: id}
	for _, i := range all {
		unknown.Have = append(unknown.Have, i.ID)
	}
	return Image{}, unknown
}

// List returns all images in the cache, in order of their identity.
func (s *Store) List() ([]Image, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "images"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing images: %w", err)
	}
	var images []Image
	for _, entry := range entries {
		image, err := s.load(entry.Name())
		if err != nil {
			return nil, err
		}
		images = append(images, image)
	}
	return images, nil
}

// load reads one image's description.
func (s *Store) load(id string) (Image, error) {
	dir := filepath.Join(s.dir, "images", id)
	text, err := os.ReadFile(filepath.Join(dir, imageFile))
	if err != nil {
		return Image{}, fmt.Errorf("reading image %q: %w", id, err)
	}
	var image Image
	if err := json.Unmarshal(text, &image); err != nil {
		return Image{}, fmt.Errorf("reading image %q: %w", id, err)
	}
	image.Dir = dir
	image.Disk = filepath.Join(dir, diskFile)
	image.Kernel = filepath.Join(dir, kernelFile)
	image.Initrd = filepath.Join(dir, initrdFile)
	return image, nil
}

// Verify compares an image's files with the sums taken when it was built, and
// returns one error per file that differs.
func (s *Store) Verify(ctx context.Context, image Image) error {
	var all []error
	for _, name := range []string{diskFile, kernelFile, initrdFile, manifestFile} {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("verifying image %q: %w", image.ID, err)
		}
		sum, err := fileSHA256(filepath.Join(image.Dir, name))
		if err == nil && sum != image.SHA256[name] {
			err = errDamaged
		}
		if err != nil {
			all = append(all, fmt.Errorf("verifying image %q, file %q: %w", image.ID, name, err))
		}
	}
	return errors.Join(all...)
}

// Manifest returns the image's list of files.
func (i Image) Manifest() (Manifest, error) {
	text, err := os.ReadFile(filepath.Join(i.Dir, manifestFile))
	if err != nil {
		return nil, fmt.Errorf("reading the manifest of image %q: %w", i.ID, err)
	}
	return ParseManifest(string(text))
}

package image

import (
	"errors"
	"fmt"
	"strings"

	"labctl/provision"
)

// NotBuiltError says that an image is not in the cache. It is a
// provision.ErrNotFound.
type NotBuiltError struct {
	Variant Variant
	ID      string
}

func (e *NotBuiltError) Error() string {
	return fmt.Sprintf("looking for image %q (%s): it is not in the cache", e.ID, e.Variant)
}

// Unwrap makes it a provision.ErrNotFound.
func (e *NotBuiltError) Unwrap() error { return provision.ErrNotFound }

// Hint names the command that makes the image.
func (e *NotBuiltError) Hint() string {
	command := "labctl image build"
	if e.Variant.Recipe != Pair {
		command += " --recipe " + e.Variant.Recipe
	}
	if e.Variant.Kubernetes != "" && e.Variant.Kubernetes != releases[0].version {
		command += " --kubernetes " + e.Variant.Kubernetes
	}
	if e.Variant.Kernel != "6.12" {
		command += " --kernel " + e.Variant.Kernel
	}
	return command
}

// UnknownError says that the cache has no image of this identity. It is a
// provision.ErrNotFound.
type UnknownError struct {
	ID string
	// Have are the identities there are, sorted.
	Have []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("looking for image %q: there is none", e.ID)
}

// Unwrap makes it a provision.ErrNotFound.
func (e *UnknownError) Unwrap() error { return provision.ErrNotFound }

// Hint names the images there are.
func (e *UnknownError) Hint() string {
	if len(e.Have) == 0 {
		return "there is no image yet: labctl image build"
	}
	return "there are: " + strings.Join(e.Have, ", ")
}

// VariantError says that nothing can be built for a variant.
type VariantError struct{ Variant Variant }

func (e *VariantError) Error() string {
	return fmt.Sprintf("choosing an image: there is no recipe for %q", e.Variant)
}

// Hint names what can be built.
func (e *VariantError) Hint() string {
	var names []string
	for _, known := range Variants() {
		names = append(names, known.String())
	}
	return "known are: " + strings.Join(names, " · ")
}

// PackageError says that the archive no longer serves what the lock pins.
type PackageError struct {
	Package Package
	Cause   error
}

func (e *PackageError) Error() string {
	return fmt.Sprintf("fetching package %q %s, which image.lock pins: %v", e.Package.Name, e.Package.Version, e.Cause)
}

func (e *PackageError) Unwrap() error { return e.Cause }

// Hint names the command that pins today's packages.
func (e *PackageError) Hint() string {
	return "if the archive has a newer version by now: labctl image lock --file provision/image/image.lock, then make build"
}

// MissingProgramError says that the machine lacks a program the builder needs.
type MissingProgramError struct{ Program string }

func (e *MissingProgramError) Error() string {
	return fmt.Sprintf("program %q is not installed", e.Program)
}

// Hint names the Debian packages that hold all programs.
func (e *MissingProgramError) Hint() string {
	if e.Program == "go" {
		return "install Go, 1.21 or newer; it fetches the pinned toolchain itself"
	}
	return "apt-get install mmdebstrap e2fsprogs qemu-utils xz-utils debian-archive-keyring"
}

// ErrNotRoot says that building needs root: files get owners and mounts are made.
var ErrNotRoot error = notRootError{}

type notRootError struct{}

func (notRootError) Error() string { return "building an image: this needs root" }
func (notRootError) Hint() string  { return "sudo labctl image build" }

// InUseError says that an image must stay because something is backed by it.
type InUseError struct {
	ID    string
	Users []string
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("removing image %q: it backs %s", e.ID, strings.Join(e.Users, ", "))
}

// Hint says what frees the image.
func (e *InUseError) Hint() string { return "labctl down the pairs that use it, then try again" }

// errDamaged marks an image whose files are not what they were.
var errDamaged = errors.New("the file is not what was built")

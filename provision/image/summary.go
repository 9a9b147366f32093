package image

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"time"
)

// Summary tells what this program builds golden images from.
type Summary struct {
	// SHA256 of image.lock, in hexadecimal: what sha256sum says of the file.
	SHA256 string `json:"sha256"`
	// Date is the time that every file of an image gets: the day of the lock.
	Date time.Time `json:"date"`
	// Go is the toolchain that an image's programs are compiled with.
	Go string `json:"go"`
	// Packages is the number of pinned .deb files.
	Packages int `json:"packages"`
	// Kubernetes are the versions an image can hold, the default first.
	Kubernetes []string `json:"kubernetes"`
	// Kernels are those an image can boot, the default first.
	Kernels []KernelPin `json:"kernels"`
	// Images are all that can be built, the default first. An image's ID covers
	// the lock and all else that goes in.
	Images []Buildable `json:"images"`
}

// KernelPin is the Debian package of a kernel series.
type KernelPin struct {
	Series  string `json:"series"`
	Package string `json:"package"`
	Version string `json:"version"`
}

// Buildable is an image that can be built, whether it is or not.
type Buildable struct {
	ID string `json:"id"`
	Variant
}

// Summarize summarizes the lock that this program holds. It reads no cache.
func Summarize() (Summary, error) {
	text, err := fs.ReadFile(sources, "image.lock")
	if err != nil {
		return Summary{}, err
	}
	lock, err := ParseLock(string(text))
	if err != nil {
		return Summary{}, err
	}
	sum := sha256.Sum256(text)
	s := Summary{
		SHA256: hex.EncodeToString(sum[:]), Date: time.Unix(lock.Epoch, 0).UTC(),
		Go: lock.Go, Packages: len(lock.Packages),
	}
	for _, r := range releases {
		s.Kubernetes = append(s.Kubernetes, r.version)
	}
	seen := map[string]bool{}
	for _, v := range Variants() {
		id, err := identity(sources, lock, v)
		if err != nil {
			return Summary{}, err
		}
		s.Images = append(s.Images, Buildable{ID: id, Variant: v})
		if seen[v.Kernel] {
			continue
		}
		seen[v.Kernel] = true
		for _, p := range lock.Set("kernel-" + v.Kernel).Packages {
			s.Kernels = append(s.Kernels, KernelPin{Series: v.Kernel, Package: p.Name, Version: p.Version})
		}
	}
	return s, nil
}

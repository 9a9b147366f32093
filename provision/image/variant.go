package image

import (
	"slices"
	"strings"
)

// The recipes.
const (
	// Pair is a Kubernetes node: Debian with systemd, containerd and everything
	// that kubeadm needs, container images included.
	Pair = "pair"
	// Small boots to SSH and little else; tests use it.
	Small = "small"
)

// Variant says which image is meant. Empty fields mean the default.
type Variant struct {
	// Recipe is Pair (the default) or Small.
	Recipe string `json:"recipe"`
	// Kubernetes is a version such as "v1.37.2". Empty in a Small image.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Kernel is the series, such as "6.12".
	Kernel string `json:"kernel"`
}

// kernelSuites names the Debian release that serves each kernel series. The
// userland is the same under each of them.
var kernelSuites = map[string]string{"6.12": "trixie", "6.1": "bookworm", "5.10": "bullseye"}

// Variants are all that can be built, the default first.
func Variants() []Variant {
	var all []Variant
	for _, kernel := range []string{"6.12", "6.1", "5.10"} {
		for _, release := range releases {
			all = append(all, Variant{Pair, release.version, kernel})
		}
	}
	for _, kernel := range []string{"6.12", "6.1", "5.10"} {
		all = append(all, Variant{Recipe: Small, Kernel: kernel})
	}
	return all
}

// String is the variant as a person would name it.
func (v Variant) String() string {
	words := []string{v.Recipe}
	if v.Kubernetes != "" {
		words = append(words, "Kubernetes "+v.Kubernetes)
	}
	return strings.Join(append(words, "kernel "+v.Kernel), ", ")
}

// complete fills in the defaults and refuses what cannot be built.
func (v Variant) complete() (Variant, error) {
	if v.Recipe == "" {
		v.Recipe = Pair
	}
	if v.Kernel == "" {
		v.Kernel = "6.12"
	}
	switch {
	case v.Recipe == Small:
		v.Kubernetes = ""
	case v.Kubernetes == "":
		v.Kubernetes = releases[0].version
	case !strings.HasPrefix(v.Kubernetes, "v"):
		v.Kubernetes = "v" + v.Kubernetes
	}
	if !slices.Contains(Variants(), v) {
		return v, &VariantError{v}
	}
	return v, nil
}

// DefaultKubernetes is the version of an image whose Variant names none.
func DefaultKubernetes() string { return releases[0].version }

package image

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// module is one Go module of modules/ and the programs built from it.
type module struct {
	// name is the file name of the .mod and .sum files.
	name string
	// tags are build tags, ldflags what the linker gets beside -s -w.
	tags, ldflags string
	// packages are main packages; each program is named after its package
	// unless rename says otherwise.
	packages []string
	rename   map[string]string
	// source is the module that the files of its source come from, which are kept
	// beside the programs.
	source string
	files  []string
}

// release is a Kubernetes version with what goes with it.
type release struct {
	version string
	// file in modules/
	file string
	// etcd, coredns and pause are the image tags that this kubeadm asks for.
	// The programs inside are the same under every tag: those of modules/.
	etcd, coredns, pause string
}

// releases of Kubernetes that an image can hold, the default first.
var releases = []release{
	{version: "v1.37.2", file: "kubernetes", etcd: "3.7.0-0", coredns: "v1.14.6", pause: "3.10.2"},
	{version: "v1.36.3", file: "kubernetes-1.36", etcd: "3.6.8-0", coredns: "v1.14.2", pause: "3.10.2"},
}

// findRelease returns the release of a complete variant.
func findRelease(version string) release {
	return releases[slices.IndexFunc(releases, func(r release) bool { return r.version == version })]
}

// module is what the release's programs are compiled from.
func (r release) module() module {
	parts := strings.Split(trimmed(r.version), ".")
	at := "-X k8s.io/component-base/version."
	m := module{
		name: r.file,
		ldflags: at + "gitVersion=" + r.version + " " + at + "gitMajor=" + parts[0] + " " + at + "gitMinor=" + parts[1] +
			" " + at + "gitTreeState=clean " + at + "gitCommit=unknown",
		packages: []string{"k8s.io/kubernetes/test/images/agnhost"},
	}
	for _, name := range []string{"kubeadm", "kubelet", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubectl"} {
		m.packages = append(m.packages, "k8s.io/kubernetes/cmd/"+name)
	}
	return m
}

// companions are the programs that every Kubernetes node needs beside it.
var companions = []module{
	{name: "containerd", tags: "no_btrfs no_zfs no_devmapper", ldflags: "-X github.com/containerd/containerd/v2/version.Version=v2.4.2", packages: []string{
		"github.com/containerd/containerd/v2/cmd/containerd",
		"github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
		"github.com/containerd/containerd/v2/cmd/ctr",
	}},
	{name: "etcd", packages: []string{"go.etcd.io/etcd/server/v3"}, rename: map[string]string{"server": "etcd"}},
	{name: "coredns", packages: []string{"github.com/coredns/coredns"}},
	{name: "cni", packages: []string{
		"github.com/containernetworking/plugins/plugins/ipam/host-local",
		"github.com/containernetworking/plugins/plugins/main/bridge",
		"github.com/containernetworking/plugins/plugins/main/loopback",
		"github.com/containernetworking/plugins/plugins/meta/portmap",
	}},
	{name: "metallb", packages: []string{"go.universe.tf/metallb/controller", "go.universe.tf/metallb/speaker"},
		// What installs it, as its release has it.
		source: "go.universe.tf/metallb", files: []string{"config/manifests/" + metallbManifest}},
}

// key names the compiled programs: the same key, the same programs.
func (m module) key(files fs.FS, lock Lock) (string, error) {
	texts := []string{lock.Go, m.name, m.tags, m.ldflags, strings.Join(m.packages, " "), fmt.Sprint(m.rename)}
	texts = append(texts, m.files...)
	for _, suffix := range []string{".mod", ".sum"} {
		content, err := fs.ReadFile(files, "modules/"+m.name+suffix)
		if err != nil {
			return "", fmt.Errorf("reading the pins of module %q: %w", m.name, err)
		}
		texts = append(texts, string(content))
	}
	return digest(texts...), nil
}

const (
	// metallbVersion is the version that modules/metallb.mod pins, as its image tag.
	metallbVersion = "v0.15.2"
	// metallbManifest installs MetalLB in its native mode, with images of that tag.
	metallbManifest = "metallb-native.yaml"
)

package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// container is one container image: a program, under one name or more.
type container struct {
	names []string
	// program is copied from, its path in the cache, to, its path in the image.
	program, to string
	// tools says whether the image also has the node's command-line tools.
	tools bool
	// entrypoint says whether the program runs when a Pod names no command.
	entrypoint bool
}

// containers are the images a node is born with: what kubeadm asks for, and
// what the labs use. dirs tells the folder of each module's programs.
func containers(r release, dirs map[string]string) []container {
	list := []container{
		{names: []string{"registry.k8s.io/pause:" + r.pause}, program: dirs["guest"] + "/pause", to: "pause", entrypoint: true},
		{names: []string{"registry.k8s.io/etcd:" + r.etcd}, program: dirs["etcd"] + "/etcd", to: "usr/local/bin/etcd"},
		{names: []string{"registry.k8s.io/coredns/coredns:" + r.coredns}, program: dirs["coredns"] + "/coredns", to: "coredns", entrypoint: true},
		// One program answers to the name that a published article uses and to today's.
		{names: []string{"registry.k8s.io/e2e-test-images/agnhost:2.53", "registry.k8s.io/e2e-test-images/agnhost:2.66.1"},
			program: dirs[r.file] + "/agnhost", to: "agnhost", tools: true, entrypoint: true},
	}
	// The top-level domain is one that no registry can have (RFC 6761, section 6.2).
	list = append(list, container{names: []string{"labctl.test/injector:v1"}, program: dirs["guest"] + "/injector", to: "injector", entrypoint: true})
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		list = append(list, container{names: []string{"registry.k8s.io/" + name + ":" + r.version},
			program: filepath.Join(dirs[r.file], name), to: "usr/local/bin/" + name, tools: name == "kube-proxy"})
	}
	for _, name := range []string{"controller", "speaker"} {
		list = append(list, container{names: []string{"quay.io/metallb/" + name + ":" + metallbVersion},
			program: filepath.Join(dirs["metallb"], name), to: name, entrypoint: true})
	}
	return list
}

// writeContainers makes a tar archive with all images in OCI form. Layers are
// not compressed: they are unpacked at once and then dropped.
func writeContainers(target string, list []container, tools []byte, epoch int64) error {
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	defer file.Close()
	archive := ociArchive{tar: tar.NewWriter(file), written: map[string]bool{}, index: v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex,
	}}
	for _, c := range list {
		image, err := c.image(tools, epoch)
		if err != nil {
			return fmt.Errorf("assembling container image %q: %w", c.names[0], err)
		}
		for _, name := range c.names {
			if err := archive.add(name, image); err != nil {
				return fmt.Errorf("writing container image %q: %w", name, err)
			}
		}
	}
	if err := archive.close(); err != nil {
		return fmt.Errorf("writing container images: %w", err)
	}
	return file.Close()
}

// image assembles one image.
func (c container) image(tools []byte, epoch int64) (v1.Image, error) {
	program, err := os.ReadFile(c.program)
	if err != nil {
		return nil, err
	}
	layers := []v1.Layer{layer(layerTar(epoch, map[string][]byte{c.to: program}))}
	if c.tools {
		layers = append([]v1.Layer{layer(tools)}, layers...)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, layers...); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", "amd64"
	config.Created = v1.Time{Time: time.Unix(epoch, 0).UTC()}
	config.History = nil
	config.Config.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	config.Config.WorkingDir = "/"
	if c.entrypoint {
		config.Config.Entrypoint = []string{"/" + c.to}
	}
	return mutate.ConfigFile(image, config)
}

// layer is a tar archive as an uncompressed image layer.
func layer(content []byte) v1.Layer { return static.NewLayer(content, types.OCIUncompressedLayer) }

// layerTar makes a layer of programs, with the few things that a program may
// expect of any root file system.
func layerTar(epoch int64, programs map[string][]byte) []byte {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	at := time.Unix(epoch, 0)
	made := map[string]bool{".": true}
	// Writing to memory cannot go wrong, and the headers are our own.
	folder := func(name string, mode int64) {
		if !made[name] {
			made[name] = true
			_ = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, ModTime: at, Format: tar.FormatPAX})
		}
	}
	file := func(name string, mode int64, content []byte) {
		_ = archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)), ModTime: at, Format: tar.FormatPAX})
		_, _ = archive.Write(content)
	}
	folder("tmp", 0o1777)
	for _, name := range sortedKeys(programs) {
		dir := ""
		for _, part := range splitPath(filepath.Dir(name)) {
			dir = filepath.Join(dir, part)
			folder(dir, 0o755)
		}
		file(name, 0o755, programs[name])
	}
	_ = archive.Close()
	return buffer.Bytes()
}

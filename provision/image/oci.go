package image

import (
	"archive/tar"
	"encoding/json"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
)

// ociArchive is a tar archive in the OCI image layout, written in one pass.
type ociArchive struct {
	tar   *tar.Writer
	index v1.IndexManifest
	// written are the blobs that are in already: images share layers.
	written map[string]bool
}

// add writes an image under a name that containerd will give it.
func (a *ociArchive) add(name string, image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		content, err := layer.Compressed()
		if err != nil {
			return err
		}
		bytes, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		if err := a.blob(digest, bytes); err != nil {
			return err
		}
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	configDigest, err := image.ConfigName()
	if err != nil {
		return err
	}
	manifest, err := image.RawManifest()
	if err != nil {
		return err
	}
	descriptor, err := partial.Descriptor(image)
	if err != nil {
		return err
	}
	descriptor.Annotations = map[string]string{"io.containerd.image.name": name}
	a.index.Manifests = append(a.index.Manifests, *descriptor)
	if err := a.blob(configDigest, config); err != nil {
		return err
	}
	return a.blob(descriptor.Digest, manifest)
}

// blob writes content under its digest, once.
func (a *ociArchive) blob(digest v1.Hash, content []byte) error {
	if a.written[digest.Hex] {
		return nil
	}
	a.written[digest.Hex] = true
	return a.file("blobs/"+digest.Algorithm+"/"+digest.Hex, content)
}

func (a *ociArchive) file(name string, content []byte) error {
	header := tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}
	if err := a.tar.WriteHeader(&header); err != nil {
		return err
	}
	_, err := a.tar.Write(content)
	return err
}

// close writes the index, which tells what the blobs are.
func (a *ociArchive) close() error {
	index, err := json.Marshal(a.index)
	if err != nil {
		return err
	}
	if err := a.file("index.json", index); err != nil {
		return err
	}
	if err := a.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)); err != nil {
		return err
	}
	return a.tar.Close()
}

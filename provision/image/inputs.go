package image

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
)

// Format is raised whenever the builder's own code changes what it makes out of
// the same inputs; it is part of every image's identity.
const Format = 5

// sources are the inputs that travel inside the program, so that an installed
// labctl builds images without the checkout.
//
//go:embed image.lock modules guest all:recipe
var sources embed.FS

// digest hashes texts so that no two different lists have the same sum.
func digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// digestTree hashes names and content of all files below the folders, but for tests.
func digestTree(files fs.FS, folders ...string) (string, error) {
	var texts []string
	for _, folder := range folders {
		err := fs.WalkDir(files, folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || goTest(path) {
				return err
			}
			content, err := fs.ReadFile(files, path)
			texts = append(texts, path, string(content))
			return err
		})
		if err != nil {
			return "", fmt.Errorf("hashing %q: %w", folder, err)
		}
	}
	return digest(texts...), nil
}

// identity is the image's name: the recipe and a hash of everything that goes
// in. The Go version is the lock's, not that of the machine.
func identity(files fs.FS, lock Lock, v Variant) (string, error) {
	tree, err := digestTree(files, "guest", "recipe/common", "recipe/"+v.Recipe)
	if err != nil {
		return "", err
	}
	texts := []string{fmt.Sprint(Format), v.Recipe, v.Kubernetes, v.Kernel, tree, lock.Go, fmt.Sprint(lock.Epoch)}
	for _, set := range packageSets(v) {
		texts = append(texts, lock.Set(set).String())
	}
	if v.Recipe == Pair {
		for _, m := range moduleSets(v) {
			key, err := m.key(files, lock)
			if err != nil {
				return "", err
			}
			texts = append(texts, key)
		}
	}
	return v.Recipe + "-" + digest(texts...)[:16], nil
}

// packageSets are the lock's sets of packages that a variant uses.
func packageSets(v Variant) []string {
	return []string{v.Recipe, "kernel-" + v.Kernel}
}

// moduleSets are the Go modules that a variant is compiled from.
func moduleSets(v Variant) []module {
	return append([]module{findRelease(v.Kubernetes).module()}, companions...)
}

// trimmed is a version without its leading v.
func trimmed(version string) string { return strings.TrimPrefix(version, "v") }

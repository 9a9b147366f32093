package topology

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// UnknownError says that no embedded topology has this name.
type UnknownError struct {
	Name string
	// Valid are the names there are.
	Valid []string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no topology %q", e.Name) }

// Hint names the nearest topology.
func (e *UnknownError) Hint() string {
	return strictyaml.Suggest(e.Name, e.Valid) + "; a file is named with a slash or .yaml"
}

// Names returns the embedded topologies, sorted.
func Names() []string {
	// The pattern is constant and good.
	found, _ := fs.Glob(files, "*.yaml")
	for i, f := range found {
		found[i] = strings.TrimSuffix(f, path.Ext(f))
	}
	slices.Sort(found)
	return found
}

// Embedded returns the topology of this name, or an *UnknownError.
func Embedded(name string) (Topology, error) {
	if !slices.Contains(Names(), name) {
		return Topology{}, &UnknownError{Name: name, Valid: Names()}
	}
	file := name + ".yaml"
	data, err := files.ReadFile(file)
	if err != nil {
		return Topology{}, fmt.Errorf("reading embedded topology %q: %w", name, err)
	}
	return Parse(path.Join("topology", file), data)
}

// IsPath tells a path from a name: a word with a slash, one that ends in .yaml or
// .yml, or "." and "..". Whether there is such a folder is not asked: what "pair"
// means must not depend on where one stands.
func IsPath(word string) bool {
	ext := filepath.Ext(word)
	return strings.ContainsRune(word, filepath.Separator) || word == "." || word == ".." || ext == ".yaml" || ext == ".yml"
}

// Open takes a name of an embedded topology, or the path of a file (see IsPath).
func Open(nameOrPath string) (Topology, error) {
	if IsPath(nameOrPath) {
		return Load(nameOrPath)
	}
	return Embedded(nameOrPath)
}

// Package labs is the catalogue: the labs that labctl brings along, one folder
// each.
package labs

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"labctl/internal/lab"
	"labctl/internal/strictyaml"
)

//go:embed */lab.yaml
var files embed.FS

const fileName = "lab.yaml"

// UnknownError says that the catalogue has no lab of this name.
type UnknownError struct {
	Name string
	// Valid are the names there are.
	Valid []string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no lab %q", e.Name) }

// Hint names the nearest lab.
func (e *UnknownError) Hint() string {
	return strictyaml.Suggest(e.Name, e.Valid) + "; a file or folder is named with a slash or .yaml"
}

// Names returns the labs of the catalogue, sorted.
func Names() []string {
	// The pattern is constant and good.
	found, _ := fs.Glob(files, "*/"+fileName)
	for i, f := range found {
		found[i] = path.Dir(f)
	}
	slices.Sort(found)
	return found
}

// Open takes a name of the catalogue, or the path of a lab's file or folder: a
// word with a slash, or one that ends in .yaml or .yml.
func Open(nameOrPath string) (lab.Lab, error) {
	ext := filepath.Ext(nameOrPath)
	if strings.ContainsRune(nameOrPath, filepath.Separator) || ext == ".yaml" || ext == ".yml" {
		return load(nameOrPath)
	}
	if !slices.Contains(Names(), nameOrPath) {
		return lab.Lab{}, &UnknownError{Name: nameOrPath, Valid: Names()}
	}
	file := path.Join(nameOrPath, fileName)
	data, err := files.ReadFile(file)
	if err != nil {
		return lab.Lab{}, fmt.Errorf("reading lab %q: %w", nameOrPath, err)
	}
	return lab.Parse(path.Join("labs", file), data)
}

func load(file string) (lab.Lab, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, fileName)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return lab.Lab{}, fmt.Errorf("reading lab: %w", err)
	}
	return lab.Parse(file, data)
}

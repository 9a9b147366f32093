// Package labs is the catalogue: the labs that labctl brings along, one folder
// each. A lab that is a further part of a write-up has its folder in that of the
// first.
package labs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"labctl/internal/lab"
	"labctl/internal/strictyaml"
	"labctl/topology"
)

//go:embed */lab.yaml */sabotage.yaml */*/lab.yaml */*/sabotage.yaml
var files embed.FS

const (
	// FileName is what a lab is called in its folder.
	FileName     = "lab.yaml"
	sabotageName = "sabotage.yaml"
)

// ErrNoSabotage says that a lab has none.
var ErrNoSabotage = errors.New("the lab has no sabotage.yaml")

// UnknownError says that the catalogue has no lab of this name.
type UnknownError struct {
	Name string
	// Valid are the names there are.
	Valid []string
	// Here says that the current folder has a lab of this name: a path was meant.
	Here bool
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no lab %q", e.Name) }

// Hint names the nearest lab.
func (e *UnknownError) Hint() string {
	if e.Here {
		return fmt.Sprintf("the lab in this folder is called ./%s: a name means the catalogue, which has %s", e.Name, strings.Join(e.Valid, ", "))
	}
	return strictyaml.Suggest(e.Name, e.Valid) + "; a file or folder is named with a slash or .yaml"
}

// folders returns the folder of each lab by the lab's name, which is the folder's
// last part.
func folders() map[string]string {
	all := map[string]string{}
	for _, pattern := range []string{"*/" + FileName, "*/*/" + FileName} {
		found, _ := fs.Glob(files, pattern) // the pattern is constant and good
		for _, f := range found {
			all[path.Base(path.Dir(f))] = path.Dir(f)
		}
	}
	return all
}

// Names returns the labs of the catalogue, sorted.
func Names() []string { return slices.Sorted(maps.Keys(folders())) }

// Folder is where a lab of the catalogue lies, below this package's own folder.
func Folder(name string) string { return folders()[name] }

// Open takes a name of the catalogue, or the path of a lab's file or folder
// (see topology.IsPath).
func Open(nameOrPath string) (lab.Lab, error) {
	l, _, err := Read(nameOrPath)
	return l, err
}

// Read is Open, with the lab's file as it is.
func Read(nameOrPath string) (lab.Lab, []byte, error) {
	name, content, err := readFile(nameOrPath, FileName)
	if err != nil {
		return lab.Lab{}, nil, err
	}
	l, err := lab.Parse(name, content)
	return l, content, err
}

// readFile reads one file of a lab's folder and says what it is called in
// errors.
func readFile(nameOrPath, file string) (name string, content []byte, err error) {
	if topology.IsPath(nameOrPath) {
		name = nameOrPath
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name = filepath.Join(name, file)
		} else if file != FileName {
			name = filepath.Join(filepath.Dir(name), file)
		}
		content, err = os.ReadFile(name)
	} else {
		folder, ok := folders()[nameOrPath]
		if !ok {
			return "", nil, &UnknownError{Name: nameOrPath, Valid: Names(), Here: isHere(nameOrPath)}
		}
		name = path.Join("labs", folder, file)
		content, err = files.ReadFile(path.Join(folder, file))
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading lab: %w", err)
	}
	return name, content, nil
}

// isHere says that a name is that of a folder with a lab in the current one.
func isHere(name string) bool {
	_, err := os.Stat(filepath.Join(name, FileName))
	return err == nil && filepath.IsLocal(name)
}

// Sabotage reads the sabotage of a lab, or says ErrNoSabotage.
func Sabotage(nameOrPath string, l lab.Lab) (lab.Sabotage, error) {
	name, content, err := readFile(nameOrPath, sabotageName)
	if errors.Is(err, fs.ErrNotExist) {
		return lab.Sabotage{}, fmt.Errorf("reading sabotage of lab %q: %w", l.Name, ErrNoSabotage)
	}
	if err != nil {
		return lab.Sabotage{}, err
	}
	return lab.ParseSabotage(name, content, l)
}

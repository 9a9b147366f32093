package architecture

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module is what go.mod calls the project.
const module = "labctl"

func TestArchitecture(t *testing.T) {
	files := read(t, "../..")
	require.Greater(t, len(files), 30, "the walk must find the project")
	for _, wrong := range check(files) {
		t.Error(wrong)
	}
}

// TestMap: a package that is gone should go from the map as well.
func TestMap(t *testing.T) {
	for pattern := range arrows {
		folder := strings.TrimSuffix(pattern, "/...")
		assert.DirExists(t, filepath.Join("../..", folder), "the map has %q", pattern)
	}
}

// read parses all Go files under root, except those of other modules and those
// that tests use as data.
func read(t *testing.T, root string) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			other := err == nil && path != root
			if other || entry.Name() == "testdata" || entry.Name() != ".." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := parse(path)
		f.Path = filepath.ToSlash(relative)
		files = append(files, f)
		return err
	})
	require.NoError(t, err)
	return files
}

// insecure is written so that this file does not name it.
var insecure = []byte("Insecure" + "IgnoreHostKey")

func parse(path string) (file, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return file{}, err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	f := file{
		Package:   tree.Name.Name,
		Comment:   tree.Doc != nil,
		Insecure:  bytes.Contains(content, insecure),
		Lines:     bytes.Count(content, []byte("\n")),
		Generated: ast.IsGenerated(tree),
	}
	for _, i := range tree.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return file{}, err
		}
		f.Imports = append(f.Imports, imported)
	}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			f.Inits++
		}
	}
	return f, nil
}

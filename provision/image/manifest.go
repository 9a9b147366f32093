package image

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Manifest is the list of all files in an image's root file system, sorted by
// path.
type Manifest []File

// File is one entry of a manifest.
type File struct {
	// Path below the root, quoted only in the text form.
	Path string
	// Mode as Go prints it, such as "drwxr-xr-x".
	Mode string
	// Owner is "uid:gid".
	Owner string
	// Size in bytes; 0 for what is not a plain file.
	Size int64
	// Content is the SHA-256 of a plain file, the target of a link, the numbers
	// of a device, "-" for a folder.
	Content string
}

func (f File) String() string {
	return fmt.Sprintf("%s %s %d %q %q", f.Mode, f.Owner, f.Size, f.Content, f.Path)
}

// takeManifest reads a root file system.
func takeManifest(root string) (Manifest, error) {
	var manifest Manifest
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("reading the owner of %q: this system tells none", inside)
		}
		file := File{Path: inside, Mode: info.Mode().String(), Owner: fmt.Sprintf("%d:%d", stat.Uid, stat.Gid), Content: "-"}
		switch {
		case info.Mode().IsRegular():
			file.Size = info.Size()
			file.Content, err = fileSHA256(path)
		case info.Mode()&fs.ModeSymlink != 0:
			file.Content, err = os.Readlink(path)
		case info.Mode()&fs.ModeDevice != 0:
			file.Content = fmt.Sprintf("%d:%d", stat.Rdev>>8, stat.Rdev&0xff)
		}
		manifest = append(manifest, file)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("taking the manifest: %w", err)
	}
	slices.SortFunc(manifest, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return manifest, nil
}

// String is the manifest as its file has it.
func (m Manifest) String() string {
	var text strings.Builder
	for _, file := range m {
		fmt.Fprintln(&text, file)
	}
	return text.String()
}

// ParseManifest reads what String wrote.
func ParseManifest(text string) (Manifest, error) {
	var manifest Manifest
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		var f File
		if _, err := fmt.Sscanf(lines.Text(), "%s %s %d %q %q", &f.Mode, &f.Owner, &f.Size, &f.Content, &f.Path); err != nil {
			return nil, fmt.Errorf("reading manifest line %d: %w", number, err)
		}
		manifest = append(manifest, f)
	}
	return manifest, nil
}

// exceptions are the paths whose content may differ between two builds of one
// image, each with its reason.
var exceptions = map[string]string{}

// Diff lists what differs, one line each, "-" for this manifest and "+" for the
// other. Paths with a known reason to differ are left out.
func (m Manifest) Diff(other Manifest) []string {
	known := map[string]File{}
	for _, file := range m {
		known[file.Path] = file
	}
	type line struct{ path, text string }
	var lines []line
	for _, file := range other {
		before, found := known[file.Path]
		delete(known, file.Path)
		if before == file || exceptions[file.Path] != "" {
			continue
		}
		if found {
			lines = append(lines, line{file.Path, "- " + before.String()})
		}
		lines = append(lines, line{file.Path, "+ " + file.String()})
	}
	for path, file := range known {
		if exceptions[path] == "" {
			lines = append(lines, line{path, "- " + file.String()})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return strings.Compare(a.path, b.path) })
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	return texts
}

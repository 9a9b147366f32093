package image

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Lock pins what is not pinned by a .sum file: every Debian package by version
// and SHA-256, the Go toolchain, and the one time that all files get.
type Lock struct {
	// Go is the toolchain, such as "go1.26.8"; the go command fetches it if the
	// machine has another.
	Go string
	// Epoch is the time of every file, in seconds since 1970.
	Epoch int64
	// Packages, sorted by set and name.
	Packages []Package
}

// Package is one .deb.
type Package struct {
	// Set groups packages by use: a recipe, or "kernel-" and a series.
	Set string
	// Name, Version and Arch as dpkg has them.
	Name, Version, Arch string
	// SHA256 of the .deb in hexadecimal.
	SHA256 string
	// Path of the .deb below the mirror's root.
	Path string
}

// Set returns the lock's packages of one set alone.
func (l Lock) Set(name string) Lock {
	l.Packages = slices.DeleteFunc(slices.Clone(l.Packages), func(p Package) bool { return p.Set != name })
	return l
}

const lockHeader = `# The pins of the golden image. Written by "labctl image lock"; do not edit.
# set name version architecture sha256 path-below-the-mirror
`

// String is the lock as its file has it.
func (l Lock) String() string {
	packages := slices.Clone(l.Packages)
	slices.SortFunc(packages, func(a, b Package) int {
		return strings.Compare(a.Set+" "+a.Name, b.Set+" "+b.Name)
	})
	var text strings.Builder
	text.WriteString(lockHeader)
	fmt.Fprintf(&text, "go %s\nepoch %d\n", l.Go, l.Epoch)
	for _, p := range packages {
		fmt.Fprintf(&text, "%s %s %s %s %s %s\n", p.Set, p.Name, p.Version, p.Arch, p.SHA256, p.Path)
	}
	return text.String()
}

// ParseLock reads a lock; an error tells the line.
func ParseLock(text string) (Lock, error) {
	var lock Lock
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " ")
		bad := func(why string) error {
			return fmt.Errorf("reading image.lock:%d: %s: %q", number, why, line)
		}
		switch {
		case len(fields) == 2 && fields[0] == "go":
			lock.Go = fields[1]
		case len(fields) == 2 && fields[0] == "epoch":
			epoch, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil || epoch <= 0 {
				return Lock{}, bad("the epoch is no time")
			}
			lock.Epoch = epoch
		case len(fields) == 6:
			p := Package{fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]}
			if len(p.SHA256) != 64 || strings.Trim(p.SHA256, "0123456789abcdef") != "" {
				return Lock{}, bad("not a SHA-256")
			}
			if seen[p.Set+" "+p.Name] {
				return Lock{}, bad("a second pin of the same package")
			}
			seen[p.Set+" "+p.Name] = true
			lock.Packages = append(lock.Packages, p)
		default:
			return Lock{}, bad("neither a toolchain, an epoch nor a package")
		}
	}
	if lock.Go == "" || lock.Epoch == 0 {
		return Lock{}, fmt.Errorf("reading image.lock: it lacks the go or the epoch line")
	}
	return lock, nil
}

// Change is what a new lock would alter for one package.
type Change struct {
	Set, Name string
	// From and To are versions; empty where the package is new or gone.
	From, To string
}

// String is the change as one line.
func (c Change) String() string {
	switch {
	case c.From == "":
		return fmt.Sprintf("%s: %s %s is new", c.Set, c.Name, c.To)
	case c.To == "":
		return fmt.Sprintf("%s: %s %s is gone", c.Set, c.Name, c.From)
	case c.From == c.To:
		return fmt.Sprintf("%s: %s %s has other content", c.Set, c.Name, c.To)
	}
	return fmt.Sprintf("%s: %s %s -> %s", c.Set, c.Name, c.From, c.To)
}

// Changes lists what differs between two locks, in order of set and name.
func (l Lock) Changes(next Lock) []Change {
	old := map[[2]string]Package{}
	for _, p := range l.Packages {
		old[[2]string{p.Set, p.Name}] = p
	}
	var changes []Change
	for _, p := range next.Packages {
		key := [2]string{p.Set, p.Name}
		before, known := old[key]
		if !known || before.Version != p.Version || before.SHA256 != p.SHA256 {
			changes = append(changes, Change{p.Set, p.Name, before.Version, p.Version})
		}
		delete(old, key)
	}
	for key, p := range old {
		changes = append(changes, Change{key[0], key[1], p.Version, ""})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Set+" "+a.Name, b.Set+" "+b.Name) })
	return changes
}

package architecture

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// file is what the rules want to know about one Go file.
type file struct {
	// Path is relative to the module's root, with slashes.
	Path string
	// Package is the name in the package clause.
	Package string
	Imports []string
	// Comment says that the package clause has a comment, Inits how many
	// functions init there are, Insecure that it names ssh's way around host keys.
	Comment   bool
	Inits     int
	Insecure  bool
	Lines     int
	Generated bool
}

func (f file) folder() string { return path.Dir(f.Path) }
func (f file) test() bool     { return strings.HasSuffix(f.Path, "_test.go") }

// suite says that the file belongs to a package that only tests use.
func (f file) suite() bool {
	return strings.HasSuffix(path.Base(f.folder()), "test") || slices.Contains(testOnly, f.folder())
}

// check returns what is wrong with the files, each as "path: what".
func check(files []file) []string {
	var wrong []string
	commented := map[string]bool{}
	for _, f := range files {
		commented[f.folder()] = commented[f.folder()] || f.Comment
	}
	missing := map[string]bool{}
	for _, f := range files {
		say := func(format string, args ...any) {
			wrong = append(wrong, f.Path+": "+fmt.Sprintf(format, args...))
		}
		if !commented[f.folder()] && !missing[f.folder()] {
			missing[f.folder()] = true
			say("package %s has no package comment", f.Package)
		}
		if isPoor(path.Base(f.folder())) || isPoor(f.Package) {
			say("package %s: the name says nothing about what is inside", f.Package)
		}
		if f.Inits > 0 {
			say("func init: a package does nothing until it is asked")
		}
		if f.Insecure {
			say("it names the way around host keys; they are pinned everywhere, in tests too")
		}
		if f.Lines > maxLines && !f.Generated {
			say("%d lines, more than %d: there must be two ideas in it", f.Lines, maxLines)
		}
		allowed, known := arrowsOf(f.folder())
		if !known {
			say("package %s has no place in the map yet; decide what it may import", f.folder())
			continue
		}
		for _, i := range f.Imports {
			if why := refuse(f, i, allowed); why != "" {
				say("it imports %s: %s", i, why)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// arrowsOf returns what a package may import of ours: its own entry comes before
// that of a tree.
func arrowsOf(pkg string) (allowed []string, known bool) {
	if allowed, known = arrows[pkg]; known {
		return allowed, true
	}
	for pattern, allowed := range arrows {
		if matches(pattern, pkg) {
			return allowed, true
		}
	}
	return nil, false
}

// refuse says why a file may not import something; empty if it may.
func refuse(f file, imported string, allowed []string) string {
	ours, own := strings.CutPrefix(imported, module+"/")
	if own {
		imported = ours
	}
	forTests := f.test() || f.suite()
	for _, pattern := range testOnly {
		if below(pattern, imported) && !forTests {
			return "only tests may"
		}
	}
	if !own {
		for library, home := range homes {
			if below(library, imported) && !slices.Contains(home, f.folder()) {
				return "its home is " + cmp.Or(strings.Join(home, ", "), "no package")
			}
		}
		return ""
	}
	switch {
	case imported == f.folder():
		return "" // its external test
	case below("cmd", imported):
		return "nobody imports the edge"
	case f.test():
		// A test may put real things together. What its package must not know,
		// it must not know in tests either.
		if f.folder() == "internal/runner" && below("provision", imported) || below("provision", f.folder()) && below("internal/lab", imported) {
			return "the arrows forbid it, for tests too"
		}
		return ""
	case strings.HasSuffix(path.Base(imported), "test"):
		if f.suite() {
			return ""
		}
		return "only tests may"
	}
	for _, pattern := range allowed {
		if matches(pattern, imported) {
			return ""
		}
	}
	return "the arrows do not allow it"
}

// below says that a package is root or under it.
func below(root, pkg string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

// matches says that a package is what an entry of the map means.
func matches(pattern, pkg string) bool {
	if root, tree := strings.CutSuffix(pattern, "/..."); tree {
		return below(root, pkg)
	}
	return pattern == pkg
}

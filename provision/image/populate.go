package image

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// populate writes the commands by which debugfs copies a folder into an empty
// file system, in order of the paths. mke2fs can copy folders too, but in the
// order in which this machine's file system happens to list them.
func populate(root, scratch string) (string, error) {
	p := populator{root: root, scratch: scratch, links: map[uint64]*hardLink{}}
	err := filepath.WalkDir(root, p.add)
	if err != nil {
		return "", fmt.Errorf("listing what to copy: %w", err)
	}
	for _, link := range p.order {
		p.say("sif %s links_count %d", quote(link.path), link.count)
	}
	return p.script.String(), nil
}

type populator struct {
	root, scratch string
	script        strings.Builder
	// at is the folder that debugfs is in.
	at string
	// links are files with several names, by inode; order is theirs.
	links  map[uint64]*hardLink
	order  []*hardLink
	values int
}

type hardLink struct {
	path  string
	count int
}

func (p *populator) say(format string, args ...any) { fmt.Fprintf(&p.script, format+"\n", args...) }

// quote makes a text one word of a debugfs command.
func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// add copies one entry.
func (p *populator) add(path string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	inside := strings.TrimPrefix(path, p.root)
	if strings.ContainsAny(inside, "\n\r") {
		return fmt.Errorf("copying %q: debugfs has no way to say this name", inside)
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("reading the owner of %q: this system tells none", inside)
	}
	if inside == "" {
		p.at = "/"
		p.say("sif / mode 0%o", stat.Mode)
		return nil
	}
	if parent := filepath.Dir(inside); parent != p.at {
		p.at = parent
		p.say("cd %s", quote(parent))
	}
	name := quote(filepath.Base(inside))
	if stat.Nlink > 1 && !info.IsDir() {
		if first := p.links[stat.Ino]; first != nil {
			first.count++
			p.say("link %s %s", quote(first.path), name)
			return nil
		}
		first := &hardLink{path: inside, count: 1}
		p.links[stat.Ino], p.order = first, append(p.order, first)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		p.say("mkdir %s", name)
	case mode.IsRegular():
		p.say("write %s %s", quote(path), name)
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		p.say("symlink %s %s", name, quote(target))
		p.own(name, stat)
		return nil
	case mode&fs.ModeCharDevice != 0:
		p.say("mknod %s c %d %d", name, unix.Major(stat.Rdev), unix.Minor(stat.Rdev))
	default:
		return fmt.Errorf("copying %q: a root file system should not have a %s", inside, mode.Type())
	}
	p.own(name, stat)
	p.say("sif %s mode 0%o", name, stat.Mode)
	return p.attributes(path, name)
}

// own sets the owner where it is not root.
func (p *populator) own(name string, stat *syscall.Stat_t) {
	if stat.Uid != 0 {
		p.say("sif %s uid %d", name, stat.Uid)
	}
	if stat.Gid != 0 {
		p.say("sif %s gid %d", name, stat.Gid)
	}
}

// attributes copies extended attributes: capabilities of programs are kept
// there.
func (p *populator) attributes(path, name string) error {
	list := make([]byte, 64<<10)
	size, err := unix.Llistxattr(path, list)
	if err != nil {
		return fmt.Errorf("listing attributes of %q: %w", path, err)
	}
	for attribute := range strings.SplitSeq(strings.Trim(string(list[:size]), "\x00"), "\x00") {
		if attribute == "" {
			continue
		}
		value := make([]byte, 64<<10)
		size, err := unix.Lgetxattr(path, attribute, value)
		if err != nil {
			return fmt.Errorf("reading attribute %q of %q: %w", attribute, path, err)
		}
		p.values++
		file := filepath.Join(p.scratch, fmt.Sprintf("attribute-%d", p.values))
		if err := os.WriteFile(file, value[:size], 0o600); err != nil {
			return err
		}
		p.say("ea_set -f %s %s %s", quote(file), name, attribute)
	}
	return nil
}

// debugfs runs commands on a file system. It ends well whatever happened: what
// it complained about is the only sign that something went wrong.
func debugfs(ctx context.Context, env []string, raw, scratch, commands string) error {
	script := filepath.Join(scratch, "commands")
	if err := os.WriteFile(script, []byte(commands), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "debugfs", "-w", "-f", script, raw)
	cmd.Env = append(append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC"), env...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running debugfs: %w:\n%s", err, tail(complaints.String(), 20))
	}
	var wrong []string
	for line := range strings.Lines(complaints.String()) {
		// The first line is its name and version.
		if !strings.HasPrefix(line, "debugfs ") {
			wrong = append(wrong, line)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("running debugfs: it says:\n%s", tail(strings.Join(wrong, ""), 20))
	}
	return nil
}

package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// toolPackages are what kube-proxy runs, and what people run in a test Pod.
var toolPackages = []string{
	"dash", "coreutils", "grep", "sed", "procps",
	"iptables", "nftables", "ipset", "conntrack", "kmod", "iproute2", "iputils-ping", "curl", "netbase",
}

// notInTools are dependencies that only serve to install a package.
var notInTools = []string{"debconf", "dpkg", "tar", "perl-base", "init-system-helpers", "passwd", "adduser", "mawk"}

// toolsLayer makes a layer out of the files that some packages have in a root
// file system, with everything they depend on.
func toolsLayer(root string, epoch int64) ([]byte, error) {
	paths, err := packageFiles(root, toolPackages)
	if err != nil {
		return nil, fmt.Errorf("collecting command-line tools: %w", err)
	}
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, path := range paths {
		if err := addToTar(archive, root, path, epoch); err != nil {
			return nil, fmt.Errorf("collecting command-line tools: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

func addToTar(archive *tar.Writer, root, path string, epoch int64) error {
	full := filepath.Join(root, path)
	info, err := os.Lstat(full)
	if err != nil {
		return err
	}
	target := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if target, err = os.Readlink(full); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("reading the owner of %q: this system tells none", path)
	}
	*header = tar.Header{Typeflag: header.Typeflag, Name: path, Linkname: target, Mode: header.Mode, Size: header.Size,
		Uid: int(stat.Uid), Gid: int(stat.Gid), ModTime: time.Unix(epoch, 0), Format: tar.FormatPAX}
	if info.IsDir() {
		header.Name += "/"
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	content, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	_, err = archive.Write(content)
	return err
}

// packageFiles are the paths of packages and their dependencies, sorted, each
// folder before what is in it.
func packageFiles(root string, names []string) ([]string, error) {
	status, err := os.ReadFile(filepath.Join(root, "var/lib/dpkg/status"))
	if err != nil {
		return nil, err
	}
	installed := map[string]map[string]string{}
	for stanza := range strings.SplitSeq(string(status), "\n\n") {
		fields := controlFields(stanza)
		installed[fields["Package"]] = fields
	}
	wanted := map[string]bool{}
	var want func(name string)
	want = func(name string) {
		fields, found := installed[name]
		if !found || wanted[name] || slices.Contains(notInTools, name) {
			return
		}
		wanted[name] = true
		for need := range strings.SplitSeq(fields["Pre-Depends"]+","+fields["Depends"], ",") {
			need = strings.Fields(need + " -")[0]
			want(strings.TrimSuffix(need, ":any"))
		}
	}
	for _, name := range names {
		if installed[name] == nil {
			return nil, fmt.Errorf("package %q is not installed", name)
		}
		want(name)
	}
	paths := map[string]bool{"bin": true, "sbin": true, "lib": true, "lib64": true}
	for name := range wanted {
		list, err := os.ReadFile(filepath.Join(root, "var/lib/dpkg/info", name+".list"))
		if err != nil {
			list, err = os.ReadFile(filepath.Join(root, "var/lib/dpkg/info", name+":amd64.list"))
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(list)) {
			path := strings.Trim(strings.TrimSpace(line), "/.")
			if path = landing(path); path != "" && !strings.HasPrefix(path, "usr/share/doc") && exists(filepath.Join(root, path)) {
				paths[path] = true
			}
		}
	}
	addAlternatives(root, paths)
	return slices.Sorted(maps.Keys(paths)), nil
}

// landing is where a path is after /bin, /sbin and /lib became links into /usr.
func landing(path string) string {
	top, _, _ := strings.Cut(path, "/")
	if slices.Contains([]string{"bin", "sbin", "lib", "lib64"}, top) {
		return "usr/" + path
	}
	return path
}

// addAlternatives adds the links by which a program such as iptables is chosen
// among several that are there.
func addAlternatives(root string, paths map[string]bool) {
	for _, folder := range []string{"usr/sbin", "usr/bin"} {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			at := filepath.Join(folder, entry.Name())
			first, err := os.Readlink(filepath.Join(root, at))
			if err != nil || !strings.HasPrefix(first, "/etc/alternatives/") {
				continue
			}
			second, err := os.Readlink(filepath.Join(root, first))
			if err == nil && paths[landing(strings.Trim(second, "/"))] {
				paths["etc"], paths["etc/alternatives"], paths[at], paths[strings.Trim(first, "/")] = true, true, true, true
			}
		}
	}
}

// sortedKeys are a map's keys in order.
func sortedKeys(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// splitPath are the parts of a relative path; none for ".".
func splitPath(path string) []string {
	if path == "." {
		return nil
	}
	return strings.Split(path, "/")
}

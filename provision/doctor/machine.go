package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"labctl/provision"
	"labctl/provision/capacity"
	"labctl/provision/image"
	"labctl/provision/private"
	"labctl/topology"
)

// Question is what the machine should be fit for.
type Question struct {
	// Topology to bring up, as the pair of this name.
	Topology topology.Topology
	Pair     string
	// Bridge is the name that the pair's bridge gets: routes over it are the
	// pair's own.
	Bridge string
	// Hypervisor is "auto", "private" or a libvirt URI.
	Hypervisor string
	// Variant of the golden image.
	Variant image.Variant
	// StateDir and CacheDir are the folders of pairs and of images, HypervisorDir
	// that of the pair's private hypervisor. None needs to exist.
	StateDir, CacheDir, HypervisorDir string
	// Up says that the pair exists: what it needs it has.
	Up bool
	// Deep reads the whole image and compares checksums.
	Deep bool
}

// Auto and Private are the hypervisors that are not a URI; System is what Auto
// tries first.
const (
	Auto    = "auto"
	Private = "private"
	System  = "qemu:///system"
)

// Machine answers the checks' questions. This fills it for the machine it runs
// on; tests fill it with what they like.
type Machine struct {
	Question

	// Root is put before the path of each file that is read; "/" is the machine
	// itself.
	Root string
	// Getenv as os.Getenv.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// User, UID and GIDs of this process.
	User string
	UID  int
	GIDs []int
	// Arch is Go's name of the CPU's architecture.
	Arch string

	// OpenDevice opens a device for reading and writing, and closes it.
	OpenDevice func(path string) error
	// DialSocket connects to a Unix socket, and closes the connection.
	DialSocket func(ctx context.Context, path string) error
	// Run runs a program that changes nothing and returns its standard output.
	Run func(ctx context.Context, name string, args ...string) (string, error)
	// Claims lists the IPv4 prefixes in use.
	Claims func() ([]Claim, error)
	// Free tells the space for an ordinary user at a path, or at the nearest
	// folder above that exists.
	Free func(path string) (Free, error)
	// Facts asks a hypervisor, "private" or a URI; provision.ErrNotFound if the
	// private one does not run.
	Facts func(ctx context.Context, hypervisor string) (provision.Facts, error)
	// Preflight is private.Preflight.
	Preflight func() []private.Problem
	// Image looks for the golden image, Verify reads it whole.
	Image  func() (image.Image, error)
	Verify func(context.Context, image.Image) error
	// Pins are what images are built from.
	Pins image.Lock
}

// Free is the space of a file system.
type Free = capacity.Free

// path is where a file of the machine is.
func (m Machine) path(p string) string { return filepath.Join(m.Root, p) }

// read returns a file's content without the white space around it; empty if it
// cannot be read.
func (m Machine) read(p string) string {
	content, err := os.ReadFile(m.path(p))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

func (m Machine) exists(p string) bool {
	_, err := os.Stat(m.path(p))
	return err == nil
}

// daemonPath is where libvirt's daemons look for programs, whatever the user's
// PATH is.
const daemonPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// find looks for a program in a list of folders.
func (m Machine) find(name, folders string) (string, bool) {
	for _, folder := range filepath.SplitList(folders) {
		info, err := os.Stat(m.path(filepath.Join(folder, name)))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return filepath.Join(folder, name), true
		}
	}
	return "", false
}

// member says whether /etc/group has this user in a group, and whether this
// process is in it: a login session keeps the groups it began with.
func (m Machine) member(group string) (listed, effective bool) {
	for line := range strings.Lines(m.read("/etc/group")) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || f[0] != group {
			continue
		}
		for _, name := range strings.Split(f[3], ",") {
			listed = listed || name == m.User
		}
		for _, gid := range m.GIDs {
			effective = effective || f[2] == itoa(gid)
		}
	}
	return listed, effective
}

// sun_path less its final NUL, in bytes (unix(7)).
const maxSocketPath = 107

// IFNAMSIZ less its final NUL, in bytes (netdevice(7)).
const maxInterfaceName = 15

// maxPairName is in the names of domains, networks and folders.
const maxPairName = 20

// denied says that rights are missing, not the thing.
func denied(err error) bool { return isAny(err, fs.ErrPermission) }

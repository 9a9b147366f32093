// Package private runs a libvirtd of our own in a network namespace and a mount
// namespace of our own.
//
// It needs programs only: no running systemd, no daemon set up, and it changes
// nothing of the host. Bridges, routes and firewall rules live in the network
// namespace; the paths that are compiled into libvirt (/etc/libvirt,
// /run/libvirt, /var/lib/libvirt and so on) are, in the mount namespace, folders
// of one directory that the caller names. Two private hypervisors with the same
// addresses run side by side and never meet.
//
// # The process table is the record
//
// There is no state file that could be stale. The first mount of each namespace
// is a tmpfs over /run whose source is "labctl:" and the directory, and every
// process inside shows it in /proc/<pid>/mountinfo. That mark is how a later
// call finds the daemon again, how Stop knows what it may kill, and why a
// recycled PID can never be mistaken for ours. The namespaces have no name and
// no bind mount: they live as long as a process is inside, so that a killed
// labctl, a crash or a power cut leaves files behind and nothing else. All
// mounts are made before the first process starts, so a namespace is either
// complete or gone.
//
// # Limits
//
// It takes root (CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_MKNOD) and Linux 5.12. The
// kernel itself is shared: modules that libvirt's firewall rules need are loaded
// for everybody. Guests reach the host's own network nowhere. The daemons are in
// the caller's control group: a service manager that ends the whole group at
// the end of a job ends them, too.
package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// answerLimit is how long a daemon may take to answer after its start. On a
// 2-core machine under full load it takes 2 s; quiet, 0.3 s.
const answerLimit = 30 * time.Second

// Options of a private hypervisor.
type Options struct {
	// ReadOnly are local folders that guests' disks may be backed by. They are
	// mounted read-only where QEMU's user can reach them; Daemon.Visible tells
	// where. The folder and its files must be readable by others, the folders
	// above it need not be. More can be added by another Ensure while the daemon
	// runs; none is ever taken away.
	ReadOnly []string
}

// Daemon is a running private hypervisor.
type Daemon struct {
	// Dir is the directory, absolute and free of symbolic links.
	Dir string
	// Socket is libvirtd's read-write socket as seen from outside the
	// namespaces. It always fits into the 107 bytes that the kernel allows.
	Socket string
	// PID of libvirtd.
	PID int
	// QEMUUser is the user that guests run as: libvirt-qemu or qemu, or root
	// where the distribution made neither.
	QEMUUser string

	inside handle
	shared map[string]bool // names of the mounted read-only folders
}

// Ensure finds the running daemon of a directory or starts it. It is idempotent
// and safe against concurrent calls, also from other processes, and against
// callers that were killed at any moment. The daemon outlives the caller.
func Ensure(ctx context.Context, dir string, opts Options) (*Daemon, error) {
	if err := needRoot(); err != nil {
		return nil, err
	}
	dir, err := canonical(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the private hypervisor: %w", err)
	}
	if err := usable(dir); err != nil {
		return nil, err
	}
	release, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := finishStop(ctx, dir); err != nil {
		return nil, err
	}
	if err := layOut(dir); err != nil {
		return nil, err
	}
	d, err := ensureRunning(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range opts.ReadOnly {
		if err := d.share(folder); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Find looks for the running daemon of a directory; it never starts anything,
// and does not ask whether the daemon answers.
func Find(dir string) (*Daemon, bool, error) {
	dir, err := canonical(dir)
	if err != nil {
		return nil, false, err
	}
	if os.Geteuid() != 0 {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return nil, false, nil
		}
		return nil, false, needRoot()
	}
	owned, err := owned(dir)
	if err != nil {
		return nil, false, err
	}
	p, ok := oldest(owned, libvirtd)
	if !ok {
		return nil, false, nil
	}
	d, err := newDaemon(dir, p)
	if errors.Is(err, errGone) {
		return nil, false, nil
	}
	return d, err == nil, err
}

func newDaemon(dir string, p process) (*Daemon, error) {
	h, err := hold(p)
	if err != nil {
		return nil, err
	}
	shared, err := sharedIn(p.pid)
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "run", "libvirt-sock")
	if len(socket) > maxSocketPath {
		// Through the process's own view: short however deep dir is.
		socket = fmt.Sprintf("/proc/%d/root/run/libvirt/libvirt-sock", p.pid)
	}
	return &Daemon{Dir: dir, Socket: socket, PID: p.pid, QEMUUser: qemuAccount().name, inside: h, shared: shared}, nil
}

// maxSocketPath is the size of sun_path less its final NUL, in bytes (unix(7)).
const maxSocketPath = 107

// canonical makes a path absolute and resolves the symbolic links of the part
// that exists, so that one directory has one name.
func canonical(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolving %q: %w", path, err)
	}
	rest := ""
	for head := path; ; head = filepath.Dir(head) {
		real, err := filepath.EvalSymlinks(head)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, os.ErrNotExist) || head == "/" {
			return "", fmt.Errorf("resolving %q: %w", path, err)
		}
		rest = filepath.Join(filepath.Base(head), rest)
	}
}

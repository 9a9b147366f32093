package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// ensureRunning brings the daemons up; the caller holds the lock. A daemon that
// ends while it is looked at, because it was just told to, is started again.
func ensureRunning(ctx context.Context, dir string) (d *Daemon, err error) {
	for range 3 {
		if d, err = bringUp(ctx, dir); !errors.Is(err, errGone) {
			break
		}
	}
	return d, err
}

func bringUp(ctx context.Context, dir string) (*Daemon, error) {
	members, err := owned(dir)
	if err != nil {
		return nil, err
	}
	fresh := len(members) == 0
	if fresh {
		// What lies here is from before a power cut: pid files and domains that
		// are said to run.
		if err := empty(filepath.Join(dir, "run")); err != nil {
			return nil, err
		}
	}
	first, ended, err := launchMissing(dir, members)
	if err == nil {
		err = awaitAnswer(ctx, dir, first, ended)
	}
	if err != nil {
		if fresh {
			// The caller's context may be what ended.
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
			defer cancel()
			return nil, errors.Join(err, terminate(clean, dir))
		}
		return nil, err
	}
	d, found, err := Find(dir)
	if err == nil && !found {
		err = fmt.Errorf("looking for the private libvirtd after its start: %w", errGone)
	}
	return d, err
}

// launchMissing starts the programs that do not run, in the namespaces of those
// that do or else in new ones. It returns libvirtd or the reaper around it, and
// the way to learn of its end if it was started here.
func launchMissing(dir string, members []process) (process, <-chan error, error) {
	daemon, running := oldest(members, libvirtd)
	_, logging := oldest(members, virtlogd)
	if running && logging {
		return daemon, nil, nil
	}
	if err := missing(); err != nil {
		return process{}, nil, err
	}
	enter := func() error { return build(dir) }
	if len(members) > 0 {
		h, err := holdAny(members)
		if err != nil {
			return process{}, nil, err
		}
		defer h.close()
		enter = h.enter
	}
	var ended <-chan error
	err := onThread(func() error {
		if err := enter(); err != nil {
			return err
		}
		if err := insideOf(dir); err != nil {
			return err
		}
		if !logging {
			if _, _, err := launch(dir, virtlogd); err != nil {
				return err
			}
		}
		if running {
			return nil
		}
		var err error
		daemon, ended, err = launch(dir, libvirtd)
		return err
	})
	return daemon, ended, err
}

// insideOf makes sure that the calling thread is where it believes to be: a
// daemon started anywhere else would work with the machine's own /etc/libvirt.
func insideOf(dir string) error {
	text, err := os.ReadFile("/proc/thread-self/mountinfo")
	if err != nil {
		return fmt.Errorf("reading the mounts: %w", err)
	}
	if innermost, _ := marks(parseMounts(string(text))); innermost != dir {
		return fmt.Errorf("entering the private namespaces: /run belongs to %q and not to %q", innermost, dir)
	}
	return nil
}

// launch starts a daemon in the calling thread's namespaces, in a session of
// its own so that it outlives the caller and its terminal.
func launch(dir, name string) (process, <-chan error, error) {
	// Opened by its name inside: the directory may be hidden by now.
	logFile, err := os.OpenFile("/var/log/libvirt/"+name+".log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return process{}, nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	defer logFile.Close()
	argv, err := commandLine(name)
	if err != nil {
		return process{}, nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environment()
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return process{}, nil, fmt.Errorf("starting %s: %w", name, err)
	}
	start, err := startTime(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err != nil {
		return process{}, nil, fmt.Errorf("starting %s: %w", name, errors.Join(err, <-ended))
	}
	return process{pid: cmd.Process.Pid, start: start, name: name}, ended, nil
}

// reaper is the program that collects the dead, and its Debian package.
const reaper = "tini"

// commandLine of a daemon. QEMU leaves its parent when it starts, and libvirtd
// waits for the end of a guest by its PID: where the machine's first process is
// slow to collect the dead, or never does, as in many containers, libvirtd
// would wait for 30 s. With tini above it the dead come back to the family.
func commandLine(name string) ([]string, error) {
	path, err := lookPath(name)
	if err != nil {
		return nil, err
	}
	argv := []string{path, "--config", "/etc/libvirt/" + name + ".conf"}
	if name != libvirtd {
		return argv, nil
	}
	if tini, err := lookPath(reaper); err == nil {
		argv = append([]string{tini, "-s", "--"}, argv...)
	}
	return argv, nil
}

// environment of the daemons: nothing of the caller's, such as systemd's
// sockets for someone else, and no bus to talk to.
func environment() []string {
	return []string{
		"PATH=" + searchPath,
		"LC_ALL=C",
		"HOME=/",
		"DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/no-bus",
	}
}

// empty removes what is in a folder and keeps the folder.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("emptying %q: %w", dir, err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("emptying %q: %w", dir, err)
		}
	}
	return nil
}

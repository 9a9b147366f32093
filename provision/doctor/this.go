package doctor

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"labctl/provision"
	"labctl/provision/capacity"
	"labctl/provision/image"
	"labctl/provision/private"
)

// Facts asks a hypervisor; see Machine.Facts.
type Facts func(ctx context.Context, hypervisor string) (provision.Facts, error)

// This is the machine that the program runs on.
func This(q Question, facts Facts) (Machine, error) {
	// Opening the image cache would make its folder, so a folder that exists
	// stands in for it: no image is found there, which is the truth.
	store, err := image.Open(capacity.Existing(q.CacheDir))
	if err != nil {
		return Machine{}, err
	}
	gids, err := os.Getgroups()
	if err != nil {
		return Machine{}, fmt.Errorf("listing the groups of this process: %w", err)
	}
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return Machine{
		Question: q, Root: "/", Getenv: os.Getenv, Now: time.Now,
		User: name, UID: os.Geteuid(), GIDs: append(gids, os.Getegid()), Arch: runtime.GOARCH,
		OpenDevice: openDevice, DialSocket: dialSocket, Run: runQuietly,
		Claims: readClaims, Free: capacity.FreeAt, Facts: facts, Preflight: private.Preflight,
		Image:  func() (image.Image, error) { return store.Find(q.Variant) },
		Verify: store.Verify, Pins: store.CurrentLock(),
	}, nil
}

func openDevice(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

func dialSocket(ctx context.Context, path string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	return conn.Close()
}

// runQuietly runs a program that has no home to leave traces in: without this,
// go writes its counters and may fetch another toolchain.
func runQuietly(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{
		"PATH=" + daemonPath, "LC_ALL=C", "HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null",
		"XDG_CACHE_HOME=/dev/null", "GOTOOLCHAIN=local", "GOENV=off",
	}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := oneLine(strings.TrimSpace(stderr.String()))
		return "", fmt.Errorf("running %s: %w: %s", filepath.Base(name), err, said)
	}
	return stdout.String(), nil
}

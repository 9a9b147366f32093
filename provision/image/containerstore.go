package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// containerRoot is where containerd keeps its store in a guest.
const containerRoot = "var/lib/containerd"

// loadContainers puts container images into the root's containerd store, with
// the very containerd that will serve them: it runs here, natively, for a
// moment, with nothing but its store.
func loadContainers(ctx context.Context, root, programs, archive string) error {
	// Socket paths have to be short.
	dir, err := os.MkdirTemp("", "labctl-containerd-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config, socket, logPath := filepath.Join(dir, "config.toml"), filepath.Join(dir, "s"), filepath.Join(dir, "log")
	text := fmt.Sprintf(`version = 3
root = %q
state = %q
disabled_plugins = ['io.containerd.cri.v1.images', 'io.containerd.cri.v1.runtime', 'io.containerd.grpc.v1.cri', 'io.containerd.nri.v1.nri',
  'io.containerd.snapshotter.v1.blockfile', 'io.containerd.snapshotter.v1.erofs', 'io.containerd.differ.v1.erofs', 'io.containerd.snapshotter.v1.native',
  'io.containerd.ttrpc.v1.otelttrpc', 'io.containerd.grpc.v1.healthcheck', 'io.containerd.image-verifier.v1.bindir']
[grpc]
  address = %q
[ttrpc]
  address = %q
`, filepath.Join(root, containerRoot), filepath.Join(dir, "state"), socket, socket+".t")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	log, err := os.Create(logPath)
	if err != nil {
		return err
	}
	defer log.Close()
	daemon := exec.CommandContext(ctx, filepath.Join(programs, "containerd"), "--config", config)
	daemon.Stdout, daemon.Stderr = log, log
	daemon.Cancel = func() error { return daemon.Process.Signal(unix.SIGTERM) }
	daemon.WaitDelay = 10 * time.Second
	// If we are killed, it must not stay behind with a half-made image.
	daemon.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := daemon.Start(); err != nil {
		return fmt.Errorf("starting containerd: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	err = importImages(ctx, programs, socket, archive, ended)
	_ = daemon.Process.Signal(unix.SIGTERM)
	if waitErr := <-ended; err == nil && waitErr != nil {
		err = fmt.Errorf("ending containerd: %w", waitErr)
	}
	if err != nil {
		said, _ := os.ReadFile(logPath)
		return fmt.Errorf("loading container images: %w\n%s", err, tail(string(said), 10))
	}
	return nil
}

// importImages waits for the daemon, then hands it the archive. Layers are
// dropped once unpacked: nobody pushes images from a node.
func importImages(ctx context.Context, programs, socket, archive string, ended chan error) error {
	ctr := func(args ...string) error {
		_, err := run(ctx, nil, filepath.Join(programs, "ctr"), append([]string{"--address", socket, "--namespace", "k8s.io"}, args...)...)
		return err
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		err := ctr("version")
		if err == nil {
			break
		}
		select {
		case gone := <-ended:
			ended <- gone
			return fmt.Errorf("containerd ended: %w", gone)
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waiting for containerd: %w", err)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	if err := ctr("images", "import", "--local", "--discard-unpacked-layers", archive); err != nil {
		return err
	}
	return ctr("content", "prune", "references")
}

// cleanStore removes what containerd left that only it in this run needed, and
// makes its databases the same in every build.
func cleanStore(root string, epoch int64) error {
	store := filepath.Join(root, containerRoot)
	entries, err := os.ReadDir(store)
	if err != nil {
		return err
	}
	keep := []string{"io.containerd.content.v1.content", "io.containerd.snapshotter.v1.overlayfs", "io.containerd.metadata.v1.bolt"}
	for _, entry := range entries {
		if !strings.Contains(strings.Join(keep, " "), entry.Name()) {
			if err := os.RemoveAll(filepath.Join(store, entry.Name())); err != nil {
				return err
			}
		}
	}
	return errors.Join(
		purge(root, filepath.Join(containerRoot, keep[0], "ingest")),
		settleDatabase(filepath.Join(store, keep[1], "metadata.db"), epoch),
		settleDatabase(filepath.Join(store, keep[2], "meta.db"), epoch),
	)
}

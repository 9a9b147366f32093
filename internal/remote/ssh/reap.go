package ssh

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"labctl/internal/remote"
)

// ReapLimit is how long killing what a script started may take. An emulated
// guest under load needs a few seconds.
const ReapLimit = 60 * time.Second

//go:embed reap.sh
var reapScript string

// reap kills everything that the script with this id started, from a session of
// its own, as root if the login user may be root. OpenSSH's own signals are no
// use: a root login ignores them, and they stop at the process group.
func (c *Conn) reap(ctx context.Context, id string) error {
	cmd := remote.Command{
		Script: reapScript,
		Env:    map[string]string{"mark": remote.Mark + "=" + id},
		Root:   true,
	}
	var said bytes.Buffer
	out, err := c.exec(ctx, c.reaping, cmd, &said, &said)
	var start *StartError
	if errors.As(err, &start) && start.Sudo {
		cmd.Root = false
		out, err = c.exec(ctx, c.reaping, cmd, &said, &said)
	}
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		return fmt.Errorf("exit status %d: %q", out.Exit, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

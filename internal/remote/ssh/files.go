package ssh

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"labctl/internal/remote"
)

// putScript fills a file under another name beside $path, and gives it its name
// when it is whole. The size is what tells: a connection that ends looks like
// the end of the input.
const putScript = `set -e
case $path in */*) temp=${path%/*}/.labctl.$temp ;; *) temp=.labctl.$temp ;; esac
trap 'rm -f -- "$temp"' EXIT
umask 077
set -C
cat >"$temp"
[ "$(stat -c %s -- "$temp")" = "$size" ] || { echo "content is not whole" >&2; exit 1; }
chmod -- "$mode" "$temp"
mv -fT -- "$temp" "$path"
trap - EXIT`

// Put writes a file, as remote.Conn says.
func (c *Conn) Put(ctx context.Context, path string, mode fs.FileMode, content []byte) error {
	_, err := c.file(ctx, remote.Command{
		Script: putScript,
		Env: map[string]string{
			"path": path, "temp": newID(), "LC_ALL": "C",
			"mode": fmt.Sprintf("%04o", unixMode(mode)),
			"size": fmt.Sprint(len(content)),
		},
		Stdin: content,
	}, path)
	if err != nil {
		return fmt.Errorf("writing %q on %q: %w", path, c.target.Name, err)
	}
	return nil
}

// Get reads a file, as remote.Conn says, of any size that memory allows.
func (c *Conn) Get(ctx context.Context, path string) ([]byte, error) {
	content, err := c.file(ctx, remote.Command{
		Script: `exec cat <"$path"`,
		Env:    map[string]string{"path": path, "LC_ALL": "C"},
	}, path)
	if err != nil {
		return nil, fmt.Errorf("reading %q on %q: %w", path, c.target.Name, err)
	}
	return content, nil
}

func (c *Conn) file(ctx context.Context, cmd remote.Command, path string) ([]byte, error) {
	if err := remote.ValidatePath(path); err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	out, err := c.exec(ctx, c.slots, cmd, &stdout, &stderr)
	switch said := strings.TrimSpace(stderr.String()); {
	case err != nil:
		return nil, err
	case out.Exit == 0:
		return stdout.Bytes(), nil
	case strings.HasSuffix(said, ": No such file or directory"):
		return nil, fs.ErrNotExist
	case strings.HasSuffix(said, ": Permission denied"):
		return nil, fs.ErrPermission
	default:
		return nil, fmt.Errorf("exit status %d: %q", out.Exit, said)
	}
}

// unixMode is the mode as chmod takes it.
func unixMode(m fs.FileMode) uint32 {
	u := uint32(m.Perm())
	for bit, flag := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if m&flag != 0 {
			u |= bit
		}
	}
	return u
}

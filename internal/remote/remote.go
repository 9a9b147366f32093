// Package remote names the channel to one node: a command goes in, what it
// printed and its exit code come back.
//
// An exit code, whichever it is, is data. An error means the transport was
// lost or the command could not be started: nobody knows what the command did.
package remote

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"time"
)

// Command is one script for one node.
//
// It runs without a terminal, in the login user's home folder (even as root),
// in a session of its own, with LC_ALL=C.UTF-8 (C if the node has no such
// locale), TZ=UTC, TERM=dumb, COLUMNS=120, umask 022 and a PATH that has the
// sbin folders; Env may say otherwise.
//
// What a script leaves running in the background stays, unless Timeout or a
// cancelled context ended the script: then everything that it started is
// killed with SIGKILL, in whichever session it is.
type Command struct {
	// Script is bash, sent as written; of any length, without NUL bytes.
	Script string
	// Env holds variables the script sees, byte for byte. Names must be valid
	// shell identifiers that bash does not keep for itself; see Validate.
	Env map[string]string
	// Stdin is what the script reads; empty means /dev/null.
	Stdin []byte
	// Timeout ends the script and all it started, on the node; 0 means the
	// context alone decides.
	Timeout time.Duration
	// Root runs the script with sudo when the login user is not root.
	Root bool
	// Stdout and Stderr, when set, also receive the output as it arrives, whole
	// and one call at a time for both. The bytes are theirs during the call
	// only. None is called after Run has returned.
	Stdout, Stderr func([]byte)
}

// Output is what a command that ran left behind.
type Output struct {
	// Exit is the script's exit status, 128+N if signal N ended it, or -1 if
	// TimedOut.
	Exit int
	// Stdout and Stderr are raw bytes, at most MaxOutput each: of a longer
	// stream the first and the last half, as Keeper has it.
	Stdout, Stderr []byte
	// Dropped counts the bytes of both streams beyond MaxOutput.
	Dropped int64
	// TimedOut says that Command.Timeout passed and the script was killed.
	TimedOut bool
	// Held says that the script ended but a process it left behind kept its
	// output open; the output up to then is complete, what came after is not
	// waited for.
	Held bool
	// Duration is measured on this side, transport included.
	Duration time.Duration
}

// MaxOutput is the most that Output keeps of each stream, in bytes.
const MaxOutput = 4 << 20

// ErrLost marks an error after which nobody knows what the command did: the
// connection ended while it ran.
var ErrLost = errors.New("connection lost")

// Conn is one node's command channel. Its methods may be called from several
// goroutines at once.
type Conn interface {
	// Run runs a command to its end. A cancelled context kills the command on
	// the node, as Timeout does, and returns the context's error along with the
	// output so far.
	Run(ctx context.Context, c Command) (Output, error)
	// Put writes a file, atomically, with this mode and as the login user. Its
	// folder must exist; a symbolic link at path is replaced.
	Put(ctx context.Context, path string, mode fs.FileMode, content []byte) error
	// Get reads a file whole. A missing file is an fs.ErrNotExist.
	Get(ctx context.Context, path string) ([]byte, error)
	// Close ends the connection; commands still running are lost.
	Close() error
}

// Dial opens a stream to an address as it is reachable from the nodes' own
// network: directly, through a namespace, or through another host.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

//go:build linux

// Command injector makes a TCP connection meet a segment that does not belong to
// it. Its server echoes what it reads and, when asked, puts one segment of its own
// making into each of its connections: ports, addresses, acknowledgment and
// checksum are right, the sequence number is not. Its client opens connections,
// waits, sends on each, and counts what became of them.
//
// Both print one JSON object a line. IPv4 only. The server needs CAP_NET_RAW.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `injector puts segments into TCP connections that do not expect them.

  injector serve [--port PORT]… [--control ADDRESS] [--seq-offset N] [--delay TIME]
      Echo what comes on the ports (9000), and inject a segment into every
      connection that is open when asked: POST /inject to the control address
      (:8000), with ?seq-offset=N to have another offset than the default, which is
      that far from the sequence number that the client expects next (200000000;
      negative is the past). With --delay, also inject into each connection that
      long after its handshake. GET /connections tells what became of each,
      DELETE /connections ends and forgets them. Needs CAP_NET_RAW.

  injector connect [--speak-first] [--timeout TIME] ADDRESS:PORT[=COUNT]…
      Open that many connections to each, all at once, and say "ready". After a
      line on stdin, or its end, send one on each, and count: "echoed" came back,
      "reset" by the other side, "silent" until the timeout (5s), "closed" or failed
      in another way, or "garbled" (something else came). --speak-first also sends before that.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "injector:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("no command\n%s", usage)
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	log := &events{out: stdout}
	switch args[0] {
	case "serve":
		s := server{log: log}
		s.flags(flags)
		if err := flags.Parse(args[1:]); err != nil {
			return fmt.Errorf("reading the command line: %w\n%s", err, usage)
		}
		if flags.NArg() > 0 {
			return fmt.Errorf("reading the command line: %q is too much\n%s", flags.Arg(0), usage)
		}
		return s.run(ctx)
	case "connect":
		c := client{log: log, stdin: stdin}
		c.flags(flags)
		if err := flags.Parse(args[1:]); err != nil {
			return fmt.Errorf("reading the command line: %w\n%s", err, usage)
		}
		return c.run(ctx, flags.Args())
	case "help", "-h", "--help":
		_, err := io.WriteString(stdout, usage)
		return err
	}
	return fmt.Errorf("unknown command %q\n%s", args[0], usage)
}

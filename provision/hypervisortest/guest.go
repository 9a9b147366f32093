package hypervisortest

import (
	"bufio"
	"context"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

// Tests with a guest that boots are few: each costs a boot.
var guestTests = []test{
	{name: "boots, is reached, and goes back with its memory", needs: []Ability{Guests}, run: func(b *bench) {
		b.ctx = b.longer(3 * b.env.Image.Boot)
		n := b.network(40)
		require.NoError(b, b.hv.EnsureNetwork(b.ctx, n))
		domains := []provision.Domain{b.guest("a", n), b.guest("b", n)}
		for _, d := range domains {
			require.NoError(b, b.hv.EnsureDomain(b.ctx, d))
		}
		names := namesOf(domains)
		early := b.await(address(n, "a"))
		defer early.Close()
		b.await(address(n, "b")).Close()

		if _, lacks := b.env.Lacks[Console]; !lacks {
			text, err := b.hv.Console(b.ctx, names[0], 1<<16)
			require.NoError(b, err)
			require.NotEmpty(b, strings.TrimSpace(string(text)), "the guest wrote to its console")
		}
		require.NoError(b, b.hv.Checkpoint(b.ctx, b.owner, "ready", names))
		late := b.await(address(n, "a"))
		defer late.Close()
		require.NoError(b, b.hv.Revert(b.ctx, b.owner, "ready", names))

		// The guest's memory is that of the checkpoint: it still has the
		// connection from before, and has never heard of the one from after.
		require.NoError(b, talk(early), "connection from before the checkpoint")
		require.Error(b, talk(late), "connection from after the checkpoint")
		b.await(address(n, "b")).Close()
	}},
}

// longer is a context for what takes more than a test's usual limit.
func (b *bench) longer(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(b.T.Context(), d)
	b.Cleanup(cancel)
	return ctx
}

// greeting is a stream whose first line has been read.
type greeting struct {
	net.Conn
	r *bufio.Reader
}

// await dials a guest until it greets.
func (b *bench) await(to netip.Addr) *greeting {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, b.env.Image.Boot)
	defer cancel()
	target := net.JoinHostPort(to.String(), "22")
	for {
		g, err := b.greet(ctx, target)
		if err == nil {
			return g
		}
		if ctx.Err() != nil {
			require.NoError(b, err, "waiting for %s\n%s", target, b.consoles())
		}
		wait(ctx, time.Second)
	}
}

func (b *bench) greet(ctx context.Context, target string) (*greeting, error) {
	once, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn, err := b.hv.Dial(once, "tcp", target)
	if err != nil {
		return nil, err
	}
	g := &greeting{Conn: conn, r: bufio.NewReader(conn)}
	deadline, _ := once.Deadline()
	if err = conn.SetReadDeadline(deadline); err == nil {
		_, err = g.r.ReadString('\n')
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return g, nil
}

// talk answers the greeting of an SSH server, which then sends its own part of
// the key exchange.
func talk(g *greeting) error {
	if err := g.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	if _, err := g.Write([]byte("SSH-2.0-hypervisortest\r\n")); err != nil {
		return err
	}
	_, err := g.r.ReadByte()
	return err
}

// consoles is what the owner's domains wrote last, for the message of a
// failure.
func (b *bench) consoles() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), b.env.Limit)
	defer cancel()
	objects, _ := b.hv.Objects(ctx, b.owner)
	var out strings.Builder
	for _, o := range objects {
		if o.Kind == provision.KindDomain {
			text, _ := b.hv.Console(ctx, o.Name, 2000)
			out.WriteString("console of " + o.Name + ":\n" + string(text) + "\n")
		}
	}
	return out.String()
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

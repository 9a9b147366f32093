package memory_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/hypervisortest"
	"labctl/provision/memory"
)

func TestConformance(t *testing.T) {
	h := memory.New()
	hypervisortest.Run(t, hypervisortest.Env{
		Hypervisor:  h,
		Lacks:       map[hypervisortest.Ability]string{hypervisortest.Guests: "nothing runs in memory"},
		Foreign:     func(_ *testing.T, kind provision.Kind, name string) { h.AddForeign(kind, name) },
		Pause:       func(_ *testing.T, domain string) { h.SetState(domain, provision.Paused) },
		Stop:        func(_ *testing.T, domain string) { h.SetState(domain, provision.Off) },
		StopNetwork: func(_ *testing.T, name string) { h.StopNetwork(name) },
		Lose:        func(_ *testing.T, path string) { h.Lose(path) },
		Cut:         func(_ *testing.T, path string, length int64) { h.Cut(path, length) },
	})
}

// up makes one network, one base, and two domains, and takes a checkpoint.
func up(t *testing.T, h *memory.Hypervisor, seed string) error {
	ctx := t.Context()
	n := provision.Network{Owner: "pair", Name: "pair", CIDR: netip.MustParsePrefix("10.10.10.0/24"),
		Gateway: netip.MustParseAddr("10.10.10.1")}
	if err := h.EnsureNetwork(ctx, n); err != nil {
		return err
	}
	for _, name := range []string{"a", "b"} {
		s, err := h.EnsureVolume(ctx, provision.Volume{Owner: "pair", Name: name + "-seed", Format: "raw", Source: seed})
		if err != nil {
			return err
		}
		disk, err := h.EnsureVolume(ctx, provision.Volume{Owner: "pair", Name: name, Format: "qcow2", Capacity: 1})
		if err != nil {
			return err
		}
		d := provision.Domain{Owner: "pair", Name: name, Disk: disk, Seed: s, Network: "pair"}
		if err := h.EnsureDomain(ctx, d); err != nil {
			return err
		}
	}
	return h.Checkpoint(ctx, "pair", "ready", []string{"a", "b"})
}

func down(t *testing.T, h *memory.Hypervisor) {
	objects, err := h.Objects(t.Context(), "pair")
	require.NoError(t, err)
	for _, o := range objects {
		require.NoError(t, h.Remove(t.Context(), o))
	}
	objects, err = h.Objects(t.Context(), "pair")
	require.NoError(t, err)
	require.Empty(t, objects)
}

func seedFile(t *testing.T) string {
	p := filepath.Join(t.TempDir(), "seed")
	require.NoError(t, os.WriteFile(p, []byte("seed"), 0o600))
	return p
}

func TestDyingAfterAnyActCanBeFinishedOrTakenDown(t *testing.T) {
	seed := seedFile(t)
	whole := memory.New()
	require.NoError(t, up(t, whole, seed))
	acts := whole.Acts()
	require.Greater(t, len(acts), 15)
	for n := range acts {
		h := memory.New()
		h.DieAfter(n)
		require.ErrorIs(t, up(t, h, seed), memory.ErrDied, "after %d", n)
		require.Len(t, h.Acts(), n)
		_, err := h.Objects(t.Context(), "pair")
		require.ErrorIs(t, err, memory.ErrDied, "the dead do nothing")
		h.Revive()
		require.NoError(t, up(t, h, seed), "up again after dying before %q", acts[n])
		require.NoError(t, h.Revert(t.Context(), "pair", "ready", []string{"a", "b"}))
		down(t, h)

		h = memory.New()
		h.DieAfter(n)
		require.Error(t, up(t, h, seed))
		h.Revive()
		down(t, h)
	}
}

func TestAFailedCheckpointLeavesTheOldOne(t *testing.T) {
	h := memory.New()
	require.NoError(t, up(t, h, seedFile(t)))
	broken := errors.New("disk full")
	h.Fail("snapshot domain b", broken)
	before := len(h.Acts())
	require.ErrorIs(t, h.Checkpoint(t.Context(), "pair", "ready", []string{"a", "b"}), broken)
	require.Equal(t, []string{"suspend domain a", "suspend domain b", "snapshot domain a",
		"delete snapshot of a", "resume domain a", "resume domain b"}, h.Acts()[before:])
	require.NoError(t, h.Revert(t.Context(), "pair", "ready", []string{"a", "b"}))
}

func TestConsoleKeepsTheLastBytes(t *testing.T) {
	h := memory.New()
	require.NoError(t, up(t, h, seedFile(t)))
	h.Print("a", strings.Repeat("x", 100)+"end")
	text, err := h.Console(t.Context(), "a", 3)
	require.NoError(t, err)
	require.Equal(t, "end", string(text))
}

package libvirt_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision"
)

// user does things by hand, with virsh.
type user struct{ uri string }

func (u user) virsh(t *testing.T, args ...string) string {
	t.Helper()
	// Cleanups run after the test's own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "virsh", append([]string{"-q", "-c", u.uri}, args...)...).CombinedOutput()
	require.NoError(t, err, "virsh %v printed: %s", args, out)
	return string(out)
}

func (u user) pause(t *testing.T, domain string)     { u.virsh(t, "suspend", domain) }
func (u user) stop(t *testing.T, domain string)      { u.virsh(t, "destroy", domain) }
func (u user) stopNetwork(t *testing.T, name string) { u.virsh(t, "net-destroy", name) }

func (u user) stopPool(t *testing.T, name string) { u.virsh(t, "pool-destroy", name) }

// foreign makes an object that is not labctl's.
func (u user) foreign(t *testing.T, kind provision.Kind, name string) {
	t.Helper()
	c := map[provision.Kind]struct{ doc, define, undefine string }{
		provision.KindDomain: {"<domain type='qemu'><name>" + name +
			"</name><memory>65536</memory><os><type>hvm</type></os></domain>", "define", "undefine"},
		provision.KindNetwork: {"<network><name>" + name + "</name><bridge name='foreign0'/></network>",
			"net-define", "net-undefine"},
		provision.KindPool: {"<pool type='dir'><name>" + name + "</name><target><path>/var/lib/foreign</path></target></pool>",
			"pool-define", "pool-undefine"},
	}[kind]
	file := filepath.Join(t.TempDir(), "foreign.xml")
	require.NoError(t, os.WriteFile(file, []byte(c.doc), 0o600))
	u.virsh(t, c.define, file)
	t.Cleanup(func() { u.virsh(t, c.undefine, name) })
}

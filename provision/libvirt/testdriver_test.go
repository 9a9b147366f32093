package libvirt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/hypervisortest"
)

func TestConformanceOnTheTestDriver(t *testing.T) {
	d := startDaemon(t)
	h := d.open(t, 0)
	hypervisortest.Run(t, hypervisortest.Env{
		Hypervisor: h,
		Lacks: map[hypervisortest.Ability]string{
			hypervisortest.Uploads: "libvirt's test driver has no files",
			hypervisortest.Console: "libvirt's test driver has no files",
			hypervisortest.Overlay: "libvirt's test driver forgets backing files",
			hypervisortest.Bridges: "libvirt's test driver makes no bridge",
			hypervisortest.Guests:  "libvirt's test driver runs no code",
		},
		Foreign:     d.foreign,
		Pause:       func(t *testing.T, domain string) { d.virsh(t, "suspend", domain) },
		Stop:        func(t *testing.T, domain string) { d.virsh(t, "destroy", domain) },
		StopNetwork: func(t *testing.T, name string) { d.virsh(t, "net-destroy", name) },
	})
}

// foreign makes an object as a user would by hand.
func (d *daemon) foreign(t *testing.T, kind provision.Kind, name string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "foreign.xml")
	write := func(doc string) { require.NoError(t, os.WriteFile(file, []byte(doc), 0o600)) }
	switch kind {
	case provision.KindDomain:
		write("<domain type='test'><name>" + name + "</name><memory>1024</memory><os><type>hvm</type></os></domain>")
		d.virsh(t, "define", file)
		t.Cleanup(func() { d.virsh(t, "undefine", name) })
	case provision.KindNetwork:
		write("<network><name>" + name + "</name><bridge name='foreign0'/></network>")
		d.virsh(t, "net-define", file)
		t.Cleanup(func() { d.virsh(t, "net-undefine", name) })
	case provision.KindPool:
		write("<pool type='dir'><name>" + name + "</name><target><path>/nowhere</path></target></pool>")
		d.virsh(t, "pool-define", file)
		t.Cleanup(func() { d.virsh(t, "pool-undefine", name) })
	}
}

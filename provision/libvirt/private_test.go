package libvirt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/hypervisortest"
	"labctl/provision/libvirt"
	"labctl/provision/private"
	"labctl/provision/private/privatetest"
)

// pools is where volumes go on the private hypervisor's side.
const pools = "/var/lib/libvirt/images/labctl"

// TestConformanceOnAPrivateHypervisor is the real thing: QEMU, bridges and two
// guests that boot.
func TestConformanceOnAPrivateHypervisor(t *testing.T) {
	t.Parallel()
	image := smallImage(t)
	d := privatetest.Start(t, private.Options{ReadOnly: []string{filepath.Dir(image.Disk)}})
	h, err := libvirt.Open(t.Context(), libvirt.Options{Socket: d.Socket, DialNode: d.Dial, PoolRoot: pools,
		ReadsLocalFiles: true, Visible: d.Visible})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	env := privateEnv(d, h)
	env.Image = image
	facts, err := h.Facts(t.Context())
	require.NoError(t, err)
	if facts.KVM {
		env.Accelerator = provision.KVM
	}
	t.Logf("facts: %+v", facts)
	hypervisortest.Run(t, env)
}

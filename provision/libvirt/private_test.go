package libvirt_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	image := smallImage(t)
	d := privatetest.Start(t, private.Options{ReadOnly: []string{filepath.Dir(image.Disk)}})
	h, err := libvirt.Open(t.Context(), libvirt.Options{Socket: d.Socket, DialNode: d.Dial, PoolRoot: pools,
		ReadsLocalFiles: true, Visible: d.Visible})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	u := user{uri: "qemu+unix:///system?socket=" + d.Socket}
	hypervisortest.Run(t, hypervisortest.Env{
		Hypervisor:  h,
		Image:       image,
		Foreign:     u.foreign,
		Pause:       u.pause,
		Stop:        u.stop,
		StopNetwork: u.stopNetwork,
		Cut:         func(t *testing.T, p string, n int64) { require.NoError(t, os.Truncate(d.Local(p), n)) },
		Content: func(t *testing.T, p string) []byte {
			content, err := os.ReadFile(d.Local(p))
			require.NoError(t, err)
			return content
		},
		Limit: 2 * time.Minute,
	})
}

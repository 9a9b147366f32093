package libvirt_test

import (
	"testing"

	"labctl/provision/hypervisortest"
)

func TestConformanceOnTheTestDriver(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	h, u := d.open(t, 0), d.user()
	hypervisortest.Run(t, hypervisortest.Env{
		Hypervisor: h,
		Lacks: map[hypervisortest.Ability]string{
			hypervisortest.Uploads: "libvirt's test driver has no files",
			hypervisortest.Console: "libvirt's test driver has no files",
			hypervisortest.Overlay: "libvirt's test driver forgets backing files",
			hypervisortest.Bridges: "libvirt's test driver makes no bridge",
			hypervisortest.Guests:  "libvirt's test driver runs no code",
		},
		Foreign:     u.foreign,
		Pause:       u.pause,
		Stop:        u.stop,
		StopNetwork: u.stopNetwork,
		StopPool:    u.stopPool,
	})
}

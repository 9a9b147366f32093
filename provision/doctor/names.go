package doctor

import (
	"context"
	"fmt"
	"path/filepath"
)

// names holds the lengths of names and paths against the limits of the kernel.
func names(_ context.Context, s survey) []Finding {
	if len(s.Pair) > maxPairName {
		return bad(fmt.Sprintf("the pair's name %q has %d characters, at most %d fit", s.Pair, len(s.Pair), maxPairName),
			"choose a shorter one with --name")
	}
	if len(s.Bridge) > maxInterfaceName {
		return bad(fmt.Sprintf("the bridge's name %q has %d characters, at most %d fit", s.Bridge, len(s.Bridge), maxInterfaceName),
			"choose a shorter name with --name")
	}
	text := fmt.Sprintf("pair %s, bridge %s", s.Pair, s.Bridge)
	if !s.private() {
		return ok(text)
	}
	socket := filepath.Join(s.HypervisorDir, "run", "libvirt-sock")
	if len(socket) > maxSocketPath {
		return note(fmt.Sprintf("%s; the socket's path has %d bytes, %d fit: labctl goes another way, virsh cannot", text, len(socket), maxSocketPath),
			"move the state to a shorter folder: LABCTL_STATE=/var/lib/labctl")
	}
	return ok(fmt.Sprintf("%s, socket path of %d bytes (at most %d)", text, len(socket), maxSocketPath))
}

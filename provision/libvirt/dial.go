package libvirt

import (
	"context"
	"net"
)

// dialDirect dials nodes from here.
func dialDirect(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

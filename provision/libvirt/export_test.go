package libvirt

import (
	"context"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"
)

// SlowCall makes a call that takes d, or until the connection ends.
func SlowCall(ctx context.Context, h *Hypervisor, d time.Duration) error {
	s, err := h.link.session(ctx)
	if err != nil {
		return err
	}
	return doSlow(ctx, h.link, "being slow", func(*golibvirt.Libvirt) error {
		select {
		case <-time.After(d):
		case <-s.conn.gone:
		}
		return nil
	})
}

// WhyNoCPU is whyNoCPU.
var WhyNoCPU = whyNoCPU

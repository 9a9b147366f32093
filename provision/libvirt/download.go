package libvirt

import (
	"bytes"
	"context"
	"fmt"

	golibvirt "github.com/digitalocean/go-libvirt"
)

// download reads part of a volume. It has a connection of its own: the library
// never tells the daemon that it has read a stream to its end, so the daemon
// keeps the file open until the connection is closed.
func (h *Hypervisor) download(ctx context.Context, vol golibvirt.StorageVol, offset, length uint64) ([]byte, error) {
	doing := fmt.Sprintf("reading volume %q", vol.Name)
	s, err := h.link.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, h.link.blame(ctx, err))
	}
	defer s.conn.Close()
	limited, cancel := context.WithTimeout(ctx, h.link.timeout)
	defer cancel()
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		var b bytes.Buffer // never makes the library wait
		err := s.lv.StorageVolDownload(vol, &b, offset, length, 0)
		done <- result{b.Bytes(), err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("%s: %w", doing, h.link.explain(s, r.err))
		}
		return r.content, nil
	case <-limited.Done():
		return nil, fmt.Errorf("%s: %w", doing, h.link.blame(ctx, limited.Err()))
	}
}

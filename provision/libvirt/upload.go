package libvirt

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	golibvirt "github.com/digitalocean/go-libvirt"
)

// upload fills a volume from a local file, on a connection of its own: replies
// and stream data share one goroutine in the library, and a slow stream would
// hold up every other call.
func (h *Hypervisor) upload(ctx context.Context, vol golibvirt.StorageVol, source string, size int64) error {
	doing := fmt.Sprintf("uploading %q to volume %q", source, vol.Name)
	file, err := os.Open(source)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer file.Close()
	s, err := h.link.connect(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, h.link.blame(ctx, err))
	}
	defer s.conn.Close()

	flow := &countedReader{r: io.LimitReader(file, size)}
	done := make(chan error, 1)
	go func() { done <- s.lv.StorageVolUpload(vol, flow, 0, uint64(size), 0) }()
	if err := h.awaitUpload(ctx, s, flow, done); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	// The library reports no error when fewer bytes than announced went over.
	length, err := h.volumeLength(ctx, vol)
	if err != nil {
		return err
	}
	if length != uint64(size) {
		return fmt.Errorf("%s: %d of %d bytes arrived", doing, length, size)
	}
	return nil
}

// awaitUpload waits for the upload's end, as long as bytes flow.
func (h *Hypervisor) awaitUpload(ctx context.Context, s *session, flow *countedReader, done <-chan error) error {
	tick := time.NewTicker(h.link.timeout)
	defer tick.Stop()
	seen := int64(-1)
	for {
		select {
		case err := <-done:
			if err != nil {
				return h.link.explain(s, err)
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			n := flow.n.Load()
			if n == seen {
				return &SilentError{URI: h.link.target.uri, After: h.link.timeout}
			}
			seen = n
		}
	}
}

// countedReader tells how far the library has read; another goroutine asks.
type countedReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

package ssh

import (
	"fmt"
	"time"
)

// ping asks the server for a sign of life, and waits for it. The server reads
// and writes in one loop: what it had to send before the question comes before
// the answer.
func (c *Conn) ping() error {
	_, _, err := c.client.SendRequest("keepalive@openssh.com", true, nil)
	return err
}

// keepAlive ends the connection when the server falls silent. TCP alone would
// take a quarter of an hour to notice a paused guest or a dropped packet.
func (c *Conn) keepAlive() {
	for c.wait(c.target.KeepaliveEvery) {
		silent := time.AfterFunc(c.target.KeepaliveLimit, func() {
			c.end(fmt.Errorf("no sign of life for %v", c.target.KeepaliveLimit))
		})
		err := c.ping()
		silent.Stop()
		if err != nil {
			return // the end of the connection is noticed elsewhere
		}
	}
}

// wait lets time pass, and says whether the connection outlived it.
func (c *Conn) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.gone:
		return false
	}
}

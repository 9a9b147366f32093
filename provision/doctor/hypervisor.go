package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// hypervisor says where the pair's domains would run.
func hypervisor(_ context.Context, s survey) []Finding {
	switch {
	case s.private() && s.UID != 0:
		return bad("no libvirt that this user may use, and only root may run a private one", s.mendRights(s.systemErr))
	case s.private() && s.facts != nil:
		return ok("private, running: a libvirtd of its own in a network namespace of its own")
	case s.private():
		return ok("private: a libvirtd of its own in a network namespace of its own")
	case s.facts == nil:
		return bad(fmt.Sprintf("%s does not answer: %s", s.where, oneLine(fmt.Sprint(s.factsErr))),
			hintOf(s.factsErr, "labctl up with --hypervisor private needs no daemon"))
	}
	return ok(s.where + " answers")
}

// mendRights is what gives a user that was refused a hypervisor.
func (s survey) mendRights(refusal error) string {
	listed, effective := s.member("libvirt")
	switch {
	case listed && !effective:
		return "log out and in again, or: newgrp libvirt"
	case denied(refusal):
		return fmt.Sprintf("sudo usermod -aG libvirt %s, then log in again; or run labctl with sudo", s.User)
	}
	return "run labctl with sudo"
}

// The sockets of a system daemon. One daemon for everything, or the proxy in
// front of several, has the first; a host with one daemon for each driver and
// no proxy has the others.
const (
	libvirtSock   = "/var/run/libvirt/libvirt-sock"
	qemuSock      = "/var/run/libvirt/virtqemud-sock"
	networkSock   = "/var/run/libvirt/virtnetworkd-sock"
	storageSock   = "/var/run/libvirt/virtstoraged-sock"
	startModular  = "systemctl start virtqemud.socket virtnetworkd.socket virtstoraged.socket"
	startMonolith = "systemctl start libvirtd.socket"
)

// sockets looks at each socket of the system's libvirt. Connecting may make
// systemd start the daemon, as any use of it does.
func sockets(ctx context.Context, s survey) []Finding {
	if s.remote() || s.private() && s.Hypervisor != Auto || strings.Contains(s.where, "socket=") {
		return nil
	}
	wholeText, whole := s.socket(ctx, libvirtSock)
	qemuText, qemu := s.socket(ctx, qemuSock)
	switch {
	case whole == nil:
		return s.answering(libvirtSock+" takes connections", "systemctl restart libvirtd")
	case qemu == nil:
		return s.modular(ctx)
	case errors.Is(whole, fs.ErrNotExist) && errors.Is(qemu, fs.ErrNotExist):
		switch {
		case s.private() && s.UID == 0:
			return ok("no system libvirt here, and none is needed")
		case s.private():
			return note("no system libvirt here", "run labctl with sudo, or: sudo "+startMonolith)
		}
		return bad(wholeText+"; "+qemuText, startMonolith+" (or, with modular daemons: "+startModular+")")
	case denied(whole) || denied(qemu):
		return at(s.forDaemon(), wholeText+"; "+qemuText, s.mendRights(errors.Join(whole, qemu)))
	case errors.Is(whole, fs.ErrNotExist):
		return at(s.forDaemon(), qemuText, strings.ReplaceAll(startModular, "start", "restart"))
	}
	return at(s.forDaemon(), wholeText, "systemctl restart libvirtd")
}

// modular looks for the daemons beside virtqemud that a pair needs.
func (s survey) modular(ctx context.Context) []Finding {
	for _, d := range []struct{ socket, unit string }{{networkSock, "virtnetworkd.socket"}, {storageSock, "virtstoraged.socket"}} {
		if text, err := s.socket(ctx, d.socket); err != nil {
			return at(s.forDaemon(), "modular daemons: virtqemud takes connections, but "+text, "systemctl start "+d.unit)
		}
	}
	return s.answering("modular daemons: virtqemud, virtnetworkd and virtstoraged take connections",
		"systemctl restart virtqemud virtnetworkd virtstoraged")
}

// answering tells a daemon that answers from one that only takes connections.
func (s survey) answering(text, fix string) []Finding {
	err := s.factsErr
	if s.private() {
		err = s.systemErr
	}
	if err != nil {
		return at(s.forDaemon(), text+", but: "+oneLine(err.Error()), hintOf(err, fix))
	}
	return ok(text)
}

// forDaemon is the level of what keeps the system's daemon from being used:
// where auto chose the private hypervisor for it, only worth knowing.
func (s survey) forDaemon() Level {
	if s.private() {
		return Note
	}
	return Bad
}

// socket connects to a socket and words what came of it.
func (s survey) socket(ctx context.Context, path string) (string, error) {
	err := s.DialSocket(ctx, s.path(path))
	switch {
	case err == nil:
		return path + " takes connections", nil
	case errors.Is(err, fs.ErrNotExist):
		return path + " is not there", err
	case denied(err):
		return path + " refuses this user", err
	case errors.Is(err, syscall.ECONNREFUSED):
		return path + " is there and nobody listens", err
	}
	return fmt.Sprintf("%s: %v", path, err), err
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// raw is a socket that sees every TCP segment that arrives in this network
// namespace, and sends segments as they are given to it.
type raw struct{ fd int }

func openRaw() (raw, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.IPPROTO_TCP)
	if err != nil {
		return raw{}, fmt.Errorf("opening a raw socket (it takes CAP_NET_RAW): %w", os.NewSyscallError("socket", err))
	}
	// So that a reader looks up now and then.
	patience := syscall.NsecToTimeval(int64(200 * time.Millisecond))
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &patience); err != nil {
		_ = syscall.Close(fd)
		return raw{}, fmt.Errorf("opening a raw socket: %w", os.NewSyscallError("setsockopt", err))
	}
	return raw{fd}, nil
}

func (r raw) close() { _ = syscall.Close(r.fd) }

// each hands over every segment that arrives, until the context ends.
func (r raw) each(ctx context.Context, got func(segment)) error {
	buffer := make([]byte, 1<<16)
	for ctx.Err() == nil {
		n, _, err := syscall.Recvfrom(r.fd, buffer, 0)
		switch err {
		case nil:
		case syscall.EAGAIN, syscall.EINTR:
			continue
		default:
			return fmt.Errorf("reading segments: %w", os.NewSyscallError("recvfrom", err))
		}
		if s, err := parse(buffer[:n]); err == nil {
			got(s)
		}
	}
	return nil
}

// send sends a segment from its own source address. The kernel writes the IP header.
func (r raw) send(s segment) error {
	// A socket of its own, bound: a host with several addresses sends from the one
	// that the connection has.
	out, err := openRaw()
	if err != nil {
		return err
	}
	defer out.close()
	if err := syscall.Bind(out.fd, address(s.source.Addr())); err != nil {
		return fmt.Errorf("sending from %q: %w", s.source.Addr(), os.NewSyscallError("bind", err))
	}
	if err := syscall.Sendto(out.fd, s.bytes(), 0, address(s.destination.Addr())); err != nil {
		return fmt.Errorf("sending to %q: %w", s.destination.Addr(), os.NewSyscallError("sendto", err))
	}
	return nil
}

func address(a netip.Addr) *syscall.SockaddrInet4 { return &syscall.SockaddrInet4{Addr: a.As4()} }

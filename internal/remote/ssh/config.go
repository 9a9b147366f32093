package ssh

import (
	"fmt"
	"net/netip"
	"strings"
)

// KnownHost is a line of known_hosts for OpenSSH's own client, without its end
// of line. The name is what the client looks the key up by: a HostKeyAlias, or
// what Address returns.
func KnownHost(name, hostKey string) (string, error) {
	p, err := newPin(hostKey)
	if err != nil {
		return "", err
	}
	return name + " " + line(p.key, ""), nil
}

// Address is an address as known_hosts has it: bare on port 22, else
// "[address]:port".
func Address(a netip.AddrPort) string {
	if a.Port() == 22 {
		return a.Addr().String()
	}
	return fmt.Sprintf("[%s]:%d", a.Addr(), a.Port())
}

// Stanza is one host of an ssh_config. With it, OpenSSH's own client accepts
// the pinned key and no other, uses our login key and no other, and leaves the
// user's own known_hosts alone.
type Stanza struct {
	// Host is the word after `ssh`.
	Host    string
	Address netip.AddrPort
	User    string
	// KeyFile and KnownHosts are paths. KnownHosts must have a line for Host.
	KeyFile    string
	KnownHosts string
	// Proxy is a command that carries the stream, for nodes that the host has
	// no route to; empty for none.
	Proxy string
}

// String is the stanza in the form of ssh_config(5).
func (s Stanza) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Host %s\n", s.Host)
	put := func(key, value string) { fmt.Fprintf(&b, "  %s %s\n", key, value) }
	put("HostName", s.Address.Addr().String())
	put("Port", fmt.Sprint(s.Address.Port()))
	put("User", s.User)
	put("IdentityFile", path(s.KeyFile))
	put("IdentitiesOnly", "yes")
	put("HostKeyAlias", s.Host)
	put("UserKnownHostsFile", path(s.KnownHosts))
	put("GlobalKnownHostsFile", "none")
	put("StrictHostKeyChecking", "yes")
	put("UpdateHostKeys", "no")
	if s.Proxy != "" {
		put("ProxyCommand", s.Proxy)
	}
	return b.String()
}

// path is a path as ssh_config has it: spaces need quotes, and % begins a token.
func path(p string) string {
	return `"` + strings.NewReplacer(`%`, `%%`, `\`, `\\`, `"`, `\"`).Replace(p) + `"`
}

package provision

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"

	"labctl/topology"
)

// seed is what makes a node itself, as a tar archive that the node unpacks over
// / when it boots. It is the whole contract between labctl and a golden image.
// The result is the same bytes for the same input.
func (c *Cluster) seed(n topology.Node, k Keys) ([]byte, error) {
	home := strings.TrimPrefix(Home(n.User), "/")
	files := []seedFile{
		{"etc/hostname", 0o644, n.Name + "\n"},
		{"etc/hosts", 0o644, c.hostsFile(n)},
		{"etc/ssh/ssh_host_ed25519_key", 0o600, string(k.Host[n.Name].Private)},
		{"etc/ssh/ssh_host_ed25519_key.pub", 0o644, k.Host[n.Name].Public + "\n"},
		{"etc/ssh/ssh_known_hosts", 0o644, c.knownHosts(k)},
		{"etc/systemd/network/10-labctl.network", 0o644, c.networkFile(n)},
		{"etc/labctl/node.env", 0o644, c.nodeEnv(n)},
		{home + "/.ssh/authorized_keys", 0o600, k.Login.Public + "\n" + k.Internal.Public + "\n"},
		{home + "/.ssh/id_ed25519", 0o600, string(k.Internal.Private)},
		{home + "/.ssh/id_ed25519.pub", 0o644, k.Internal.Public + "\n"},
	}
	if n.Port != topology.DefaultPort {
		files = append(files, seedFile{"etc/ssh/sshd_config.d/port.conf", 0o644, fmt.Sprintf("Port %d\n", n.Port)})
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("making seed of node %q: %w", n.Name, err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			return nil, fmt.Errorf("making seed of node %q: %w", n.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("making seed of node %q: %w", n.Name, err)
	}
	return b.Bytes(), nil
}

// Home is the folder of a login user on a node.
func Home(user string) string {
	if user == "root" {
		return "/root"
	}
	return "/home/" + user
}

type seedFile struct {
	name    string
	mode    int64
	content string
}

func (c *Cluster) hostsFile(self topology.Node) string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n")
	for _, n := range c.Topology.Machines() {
		fmt.Fprintf(&b, "%s %s\n", n.Address, n.Name)
	}
	return b.String()
}

// knownHosts pins the host key of every node, by address and by name.
func (c *Cluster) knownHosts(k Keys) string {
	var b strings.Builder
	for _, n := range c.Topology.Machines() {
		form := "%s,%s %s\n"
		if n.Port != topology.DefaultPort {
			form = fmt.Sprintf("[%%s]:%[1]d,[%%s]:%[1]d %%s\n", n.Port)
		}
		fmt.Fprintf(&b, form, n.Name, n.Address, k.Host[n.Name].Public)
	}
	return b.String()
}

func (c *Cluster) networkFile(n topology.Node) string {
	t := c.Topology.Network
	return fmt.Sprintf(`[Match]
MACAddress=%s

[Link]
MTUBytes=%d

[Network]
Address=%s/%d
Gateway=%s
LinkLocalAddressing=ipv6
IPv6AcceptRA=no
`, topology.MAC(c.Name, n.Name), t.MTU, n.Address, t.CIDR.Bits(), t.Gateway)
}

func (c *Cluster) nodeEnv(n topology.Node) string {
	t := c.Topology.Network
	return fmt.Sprintf("HOSTNAME=%s\nADDRESS=%s\nPREFIX=%d\nGATEWAY=%s\nMAC=%s\nMTU=%d\nUSER=%s\n",
		n.Name, n.Address, t.CIDR.Bits(), t.Gateway, topology.MAC(c.Name, n.Name), t.MTU, n.User)
}

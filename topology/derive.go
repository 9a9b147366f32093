package topology

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// Fingerprint is the SHA-256, in hex, of everything that makes the machines
// what they are. It does not change with the file's formatting, nor with the
// topology's name: a pair under another name is made of the same things. The
// order of the nodes counts.
func (t Topology) Fingerprint() string {
	var b strings.Builder
	put := func(key string, value any) {
		// Zero values are left out, so that a field that comes later does not
		// change the fingerprints of topologies without it.
		if s := fmt.Sprint(value); s != "" && s != "0" && s != "false" && s != "invalid IP" && s != "invalid Prefix" {
			fmt.Fprintf(&b, "%s=%q\n", key, s)
		}
	}
	put("provision", t.Provision)
	put("image", t.Image)
	put("hosts", t.Hosts)
	put("cidr", t.Network.CIDR)
	put("gateway", t.Network.Gateway)
	put("mtu", t.Network.MTU)
	for _, n := range t.Nodes {
		put("node", n.Name)
		put("role", n.Role)
		put("address", n.Address)
		put("vcpus", n.VCPUs)
		put("memoryMiB", n.MemoryMiB)
		put("diskGiB", n.DiskGiB)
		put("user", n.User)
		put("port", n.Port)
		put("keyFile", n.KeyFile)
		put("hostKey", n.HostKey)
		put("optional", n.Optional)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// MAC is the address of a node's interface: locally administered, unicast, 40
// bits of a hash of pair and node, so the same node has it in every life.
func MAC(pair, node string) string {
	sum := sha256.Sum256([]byte("mac\x00" + pair + "\x00" + node))
	return fmt.Sprintf("02:%02x:%02x:%02x:%02x:%02x", sum[0], sum[1], sum[2], sum[3], sum[4])
}

// space is labctl's own UUID name space, drawn once.
var space = uuid.MustParse("5c0c3b1e-8a5d-4f0e-9a56-1d1f3d0a7c11")

// UUID names an object of a pair for a hypervisor (version 5, RFC 9562): a
// second define is the same object. Kind is a word such as "domain".
func UUID(pair, kind, name string) string {
	return uuid.NewSHA1(space, []byte(pair+"\x00"+kind+"\x00"+name)).String()
}

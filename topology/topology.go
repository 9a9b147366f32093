// Package topology says what should exist: nodes, their addresses and sizes,
// and the network between them. Its values are pure: nothing here talks to a
// hypervisor or to a node.
package topology

import (
	"net/netip"
	"slices"
)

// Topology is one file of kind Topology, loaded and found valid.
type Topology struct {
	// Name is the word that `labctl up` takes.
	Name string
	// Provision names the plan that turns running nodes into what the topology
	// promises: "pair" (a Kubernetes cluster) or "nodes" (nothing more).
	Provision string
	// Image is the recipe of the golden image: "pair" or "small".
	Image string
	// Network is the segment that all nodes are on; the zero value if Hosts.
	Network Network
	// Nodes, in the order of the file; at least one.
	Nodes []Node
	// Hosts says that the nodes exist already and are only connected to:
	// labs run on them, up, reset and down refuse.
	Hosts bool
}

// Network is one layer-2 segment with NAT towards the hypervisor's uplink.
type Network struct {
	// CIDR is the segment, such as 10.10.10.0/24.
	CIDR netip.Prefix
	// Gateway is the hypervisor's own address on the segment.
	Gateway netip.Addr
	// MTU in bytes.
	MTU int
}

// Role is what a node does in the cluster.
type Role string

// The roles. A plan's steps may name a role where they name a node. A client is
// on the same segment and no part of the cluster.
const (
	ControlPlane Role = "control-plane"
	Worker       Role = "worker"
	Client       Role = "client"
)

// Node is one machine.
type Node struct {
	// Name is the host name and, with the pair's name before it, the domain's.
	Name string
	Role Role
	// Address on the network; of an existing host, where it is reached.
	Address netip.Addr
	// VCPUs, MemoryMiB and DiskGiB size a virtual machine; 0 for hosts.
	VCPUs     int
	MemoryMiB int
	DiskGiB   int
	// User logs in by key and may use sudo without a password.
	User string
	// Port of the SSH server.
	Port int
	// KeyFile and HostKey are of existing hosts only: the private key to log
	// in with, and the host's public key, in authorized_keys form.
	KeyFile string
	HostKey string
	// Optional nodes are written down and not brought up: no step, role or verb
	// means them.
	Optional bool
}

// Node returns the node with this name.
func (t Topology) Node(name string) (Node, bool) {
	for _, n := range t.Nodes {
		if n.Name == name {
			return n, true
		}
	}
	return Node{}, false
}

// Machines are the nodes that are brought up, in the order of the file: all but
// the optional ones, clients included.
func (t Topology) Machines() []Node {
	return slices.DeleteFunc(slices.Clone(t.Nodes), func(n Node) bool { return n.Optional })
}

// Select returns the nodes that a step's `on` means: "all", a role or a name.
// All are those of the cluster: a client is a machine beside it. It returns none
// if nothing matches. Optional nodes are not brought up, so nothing means them.
func (t Topology) Select(on string) []Node {
	var nodes []Node
	for _, n := range t.Machines() {
		all := on == "all" && n.Role != Client
		if all || on == n.Name || on == string(n.Role) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

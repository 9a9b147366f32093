// Package restore tells whether a cluster is as it was before a lab: it takes
// a fingerprint of the nodes and of what the API server holds, compares two of
// them, and keeps the record of a cluster that still has to be put back.
//
// A fingerprint holds what lasts, so two of an untouched cluster are equal.
// What comes and goes by itself is left out when it is taken; each place where
// that happens says why.
package restore

import "time"

// Fingerprint is the state of a cluster at one time.
type Fingerprint struct {
	// Time is when it was begun, on this side's clock.
	Time     time.Time `json:"time"`
	Sections []Section `json:"sections"`
}

// Section is one piece of the state of one node, or of the cluster.
type Section struct {
	// Node is a node's name, or Cluster.
	Node string `json:"node"`
	Name string `json:"name"`
	// Lines are sorted, except that the rules of one chain, and the lines of one
	// file, keep their order. A
	// section that could not be looked at has one line that says why.
	Lines []string `json:"lines"`
}

// Cluster is the Node of sections about what the API server holds.
const Cluster = "cluster"

// The sections of a node.
const (
	Sysctls        = "sysctls"
	Iptables       = "iptables"
	IP6tables      = "ip6tables"
	LegacyIptables = "iptables-legacy"
	LegacyIP6      = "ip6tables-legacy"
	Nftables       = "nftables"
	IPVS           = "ipvs"
	IPSets         = "ipsets"
	Interfaces     = "interfaces"
	Routes         = "routes"
	Rules          = "rules"
	Neighbours     = "neighbours"
	Qdiscs         = "qdiscs"
	Modules        = "modules"
	Tmp            = "/tmp"
	Configuration  = "configuration"
	Packages       = "packages"
	Services       = "services"
)

// The sections of the cluster.
const (
	API            = "api" // says why there is nothing else
	ProxyConfig    = "configmap kube-proxy"
	ProxyDaemonSet = "daemonset kube-proxy"
	Namespaces     = "namespaces"
	Nodes          = "nodes"
	Workloads      = "workloads"
	KubeServices   = "kubernetes services"
	Endpoints      = "endpoints"
	Objects        = "objects"
	ClusterObjects = "cluster-wide objects"
)

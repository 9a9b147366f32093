package topology

import (
	"slices"

	"labctl/internal/strictyaml"
)

// What a file may leave out.
const (
	DefaultMTU  = 1500
	DefaultPort = 22
)

// Limits of sizes. The lower ones are what the smallest guest needs; the upper
// ones catch a slip of the finger (a size in KiB), not a machine.
const (
	maxVCPUs     = 256
	minMemoryMiB = 64
	maxMemoryMiB = 4 << 20
	maxDiskGiB   = 16 << 10
	minMTU       = 576
	maxMTU       = 9216
)

// Words that a topology may use.
var (
	provisions = []string{"pair", "nodes"}
	images     = []string{"pair", "small"}
	roles      = []string{string(ControlPlane), string(Worker), string(Client)}
)

func (f file) validate() error {
	v := validator{file: f}
	if err := CheckName(f.Name.Value); err != nil {
		v.slips.Addf(f.Name.Pos, "%s", err)
	}
	if len(f.Nodes.Value) == 0 {
		v.slips.Addf(f.Nodes.Pos, `"nodes" is empty: a topology has at least one node`)
	}
	if len(f.Nodes.Value) > 0 && !slices.ContainsFunc(f.Nodes.Value, func(n node) bool { return !n.Optional }) {
		v.slips.Addf(f.Nodes.Pos, "every node is optional: at least one must be brought up")
	}
	if f.Hosts.Value {
		v.hosts()
	} else {
		v.machines()
	}
	v.names()
	v.addresses()
	return v.slips.Err()
}

type validator struct {
	file  file
	slips strictyaml.Slips
}

// machines checks what only a topology of virtual machines has.
func (v *validator) machines() {
	f := v.file
	need(v, f.Provision != nil, f.Name.Pos, "provision")
	need(v, f.Image != nil, f.Name.Pos, "image")
	need(v, f.Network != nil, f.Name.Pos, "network")
	v.word(f.Provision, "provision", provisions)
	v.word(f.Image, "image", images)
	if f.Network != nil {
		v.network(*f.Network)
	}
	for _, n := range f.Nodes.Value {
		v.size(n, n.VCPUs, "vcpus", 1, maxVCPUs)
		v.size(n, n.MemoryMiB, "memoryMiB", minMemoryMiB, maxMemoryMiB)
		v.size(n, n.DiskGiB, "diskGiB", 1, maxDiskGiB)
		refuse(v, n.KeyFile, "keyFile", "labctl makes the keys of the machines it starts")
		refuse(v, n.HostKey, "hostKey", "labctl makes the keys of the machines it starts")
	}
	if value(f.Provision, "") == "pair" {
		v.cluster()
	}
}

// hosts checks what only a topology of existing hosts has.
func (v *validator) hosts() {
	f := v.file
	const exist = "the hosts exist already"
	refuse(v, f.Provision, "provision", exist)
	refuse(v, f.Image, "image", exist)
	if f.Network != nil {
		v.slips.Addf(f.Network.CIDR.Pos, `no "network" here: %s`, exist)
	}
	for _, n := range f.Nodes.Value {
		refuse(v, n.VCPUs, "vcpus", exist)
		refuse(v, n.MemoryMiB, "memoryMiB", exist)
		refuse(v, n.DiskGiB, "diskGiB", exist)
		need(v, n.KeyFile != nil, n.Pos, "keyFile")
		need(v, n.HostKey != nil, n.Pos, "hostKey")
		if n.KeyFile != nil && n.KeyFile.Value == "" {
			v.slips.Addf(n.KeyFile.Pos, `"keyFile" is empty`)
		}
		if n.HostKey != nil {
			if err := checkHostKey(n.HostKey.Value); err != nil {
				v.slips.Addf(n.HostKey.Pos, `"hostKey": %s`, err)
			}
		}
	}
}

func (v *validator) names() {
	pair := v.file.Name.Value
	first := map[string]strictyaml.Pos{}
	for _, n := range v.file.Nodes.Value {
		name := n.Name.Value
		v.word(n.Role, "role", roles)
		if err := CheckName(name); err != nil {
			v.slips.Addf(n.Name.Pos, "%s", err)
		} else if len(pair)+1+len(name) > maxName {
			v.slips.Addf(n.Name.Pos, "name %q: the domain %s-%s is longer than %d characters", name, pair, name, maxName)
		}
		if at, dup := first[name]; dup {
			v.slips.Addf(n.Name.Pos, "name %q is taken by the node in line %d", name, at.Line)
		} else {
			first[name] = n.Name.Pos
		}
		// A step's `on` takes names, roles and "all": they must not mix.
		if name == "all" || slices.Contains(roles, name) && value(n.Role, "") != name {
			v.slips.Addf(n.Name.Pos, "name %q means other nodes where a step says `on`", name)
		}
		if !userName.MatchString(n.User.Value) {
			v.slips.Addf(n.User.Pos, "user %q is not a login name", n.User.Value)
		}
		if n.Port != nil && (n.Port.Value < 1 || n.Port.Value > 65535) {
			v.slips.Addf(n.Port.Pos, "port %d is outside 1 to 65535", n.Port.Value)
		}
	}
}

// cluster checks the roles that the provisioning plan "pair" needs.
func (v *validator) cluster() {
	if value(v.file.Image, "") == "small" {
		v.slips.Addf(v.file.Image.Pos, `image "small" has no Kubernetes: provision "pair" needs image "pair"`)
	}
	var control, workers int
	for _, n := range v.file.Nodes.Value {
		switch Role(value(n.Role, "")) {
		case ControlPlane:
			control++
			if n.Optional {
				v.slips.Addf(n.Pos, "the control plane is not optional")
			}
			if control == 2 {
				v.slips.Addf(n.Pos, `a second control plane: provision "pair" makes one`)
			}
		case Worker:
			if !n.Optional {
				workers++
			}
		}
		need(v, n.Role != nil, n.Pos, "role")
	}
	if control == 0 {
		v.slips.Addf(v.file.Nodes.Pos, `no node has the role control-plane: provision "pair" needs one`)
	}
	if workers != 1 {
		v.slips.Addf(v.file.Nodes.Pos, `%d nodes have the role worker: provision "pair" needs one that is not optional`, workers)
	}
}

func (v *validator) word(w *at[string], what string, valid []string) {
	if w != nil && !slices.Contains(valid, w.Value) {
		v.slips.Addf(w.Pos, "unknown %s %q: %s", what, w.Value, strictyaml.Suggest(w.Value, valid))
	}
}

func (v *validator) size(n node, s *at[int], what string, low, high int) {
	if s == nil {
		need(v, false, n.Pos, what)
	} else if s.Value < low || s.Value > high {
		v.slips.Addf(s.Pos, "%s %d is outside %d to %d", what, s.Value, low, high)
	}
}

func need(v *validator, there bool, pos strictyaml.Pos, key string) {
	if !there {
		v.slips.Addf(pos, "missing %q", key)
	}
}

func refuse[T any](v *validator, key *at[T], what, why string) {
	if key != nil {
		v.slips.Addf(key.Pos, "no %q here: %s", what, why)
	}
}

package topology

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"labctl/internal/strictyaml"
)

// Load reads a topology file. Relative key files are relative to the file, and
// ~/ is the home of the user who runs labctl.
func Load(path string) (Topology, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Topology{}, fmt.Errorf("reading topology: %w", err)
	}
	t, err := Parse(path, data)
	if err != nil {
		return Topology{}, err
	}
	for i := range t.Nodes {
		file := t.Nodes[i].KeyFile
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return Topology{}, fmt.Errorf("finding the home for %q: %w", file, err)
			}
			t.Nodes[i].KeyFile = filepath.Join(home, rest)
		} else if file != "" && !filepath.IsAbs(file) {
			t.Nodes[i].KeyFile = filepath.Join(filepath.Dir(path), file)
		}
	}
	return t, nil
}

// Parse reads a topology from bytes; the name stands for the file in errors,
// which are *strictyaml.Error with file:line:column.
func Parse(name string, data []byte) (Topology, error) {
	var f file
	if err := strictyaml.Decode(name, data, "Topology", &f); err != nil {
		return Topology{}, err
	}
	if err := f.validate(); err != nil {
		return Topology{}, err
	}
	return f.topology(), nil
}

// file is the YAML form of a Topology.
type file struct {
	Name      at[string]  `yaml:"name,required"`
	Provision *at[string] `yaml:"provision"`
	Image     *at[string] `yaml:"image"`
	Hosts     at[bool]    `yaml:"hosts"`
	Network   *network    `yaml:"network"`
	Nodes     at[[]node]  `yaml:"nodes,required"`
}

type network struct {
	CIDR    at[netip.Prefix] `yaml:"cidr,required"`
	Gateway at[netip.Addr]   `yaml:"gateway,required"`
	MTU     *at[int]         `yaml:"mtu"`
}

type node struct {
	Pos       strictyaml.Pos `yaml:",pos"`
	Name      at[string]     `yaml:"name,required"`
	Role      *at[string]    `yaml:"role"`
	Address   at[netip.Addr] `yaml:"address,required"`
	VCPUs     *at[int]       `yaml:"vcpus"`
	MemoryMiB *at[int]       `yaml:"memoryMiB"`
	DiskGiB   *at[int]       `yaml:"diskGiB"`
	User      at[string]     `yaml:"user,required"`
	Port      *at[int]       `yaml:"port"`
	KeyFile   *at[string]    `yaml:"keyFile"`
	HostKey   *at[string]    `yaml:"hostKey"`
	Optional  bool           `yaml:"optional"`
}

type at[T any] = strictyaml.At[T]

func (f file) topology() Topology {
	t := Topology{
		Name:      f.Name.Value,
		Provision: value(f.Provision, ""),
		Image:     value(f.Image, ""),
		Hosts:     f.Hosts.Value,
	}
	if f.Network != nil {
		t.Network = Network{
			CIDR:    f.Network.CIDR.Value,
			Gateway: f.Network.Gateway.Value,
			MTU:     value(f.Network.MTU, DefaultMTU),
		}
	}
	for _, n := range f.Nodes.Value {
		t.Nodes = append(t.Nodes, Node{
			Name:      n.Name.Value,
			Role:      Role(value(n.Role, "")),
			Address:   n.Address.Value,
			VCPUs:     value(n.VCPUs, 0),
			MemoryMiB: value(n.MemoryMiB, 0),
			DiskGiB:   value(n.DiskGiB, 0),
			User:      n.User.Value,
			Port:      value(n.Port, DefaultPort),
			KeyFile:   value(n.KeyFile, ""),
			HostKey:   strings.TrimSpace(value(n.HostKey, "")),
			Optional:  n.Optional,
		})
	}
	return t
}

func value[T any](v *at[T], missing T) T {
	if v == nil {
		return missing
	}
	return v.Value
}

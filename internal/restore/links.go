package restore

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// link is an interface as ip -d -j address shows it.
type link struct {
	Name    string   `json:"ifname"`
	Flags   []string `json:"flags"`
	MTU     int      `json:"mtu"`
	Master  string   `json:"master"`
	Type    string   `json:"link_type"`
	Address string   `json:"address"`
	// Peer is set where the other end is in another network namespace.
	Peer *int `json:"link_netnsid"`
	Info struct {
		Kind string `json:"info_kind"`
	} `json:"linkinfo"`
	Addresses []struct {
		Family    string `json:"family"`
		Local     string `json:"local"`
		Length    int    `json:"prefixlen"`
		Peer      string `json:"address"`
		Scope     string `json:"scope"`
		Temporary bool   `json:"temporary"`
	} `json:"addr_info"`
}

// links are the interfaces of a node.
type links struct {
	all []link
	// pods are the names of those that lead into a Pod. A name is made anew with
	// the Pod, so nothing about such an interface is compared but how many there
	// are below each bridge.
	pods map[string]bool
}

func readLinks(p piece) (links, error) {
	l := links{pods: map[string]bool{}}
	if strings.TrimSpace(p.text) == "" {
		return l, nil
	}
	if err := json.Unmarshal([]byte(p.text), &l.all); err != nil {
		return l, fmt.Errorf("reading interfaces: %w", err)
	}
	for _, i := range l.all {
		if i.Info.Kind == "veth" && i.Peer != nil {
			l.pods[i.Name] = true
		}
	}
	return l, nil
}

// podName is how network plugins name what leads into a Pod: one that came or
// went while the script ran is not in the list of interfaces.
var podName = regexp.MustCompile(`^(veth|cali|lxc)[0-9a-f]{6,}$`)

func (l links) isPod(name string) bool { return l.pods[name] || podName.MatchString(name) }

// passing are flags that tell what is plugged in, not what was set.
var passing = []string{"LOWER_UP", "NO-CARRIER", "DORMANT", "RUNNING"}

// lines makes one line of each interface, and one of each of its addresses.
// Virtual interfaces have random MACs, and link-local addresses made of them.
func (l links) lines() []string {
	var lines []string
	pods := map[string]int{}
	for _, i := range l.all {
		if i.Name == "" {
			continue // ip prints {} for what its filter left out
		}
		if l.isPod(i.Name) {
			pods[i.Master]++
			continue
		}
		flags := slices.DeleteFunc(slices.Clone(i.Flags), func(f string) bool { return slices.Contains(passing, f) })
		slices.Sort(flags)
		line := fmt.Sprintf("%s %s mtu %d %s", i.Name, or(i.Info.Kind, i.Type), i.MTU, strings.Join(flags, ","))
		if i.Master != "" {
			line += " master " + i.Master
		}
		if i.Info.Kind == "" && i.Type != "loopback" {
			line += " address " + i.Address
		}
		lines = append(lines, line)
		for _, a := range i.Addresses {
			if a.Temporary || i.Info.Kind != "" && a.Scope == "link" && a.Family == "inet6" {
				continue
			}
			line := fmt.Sprintf("%s %s %s/%d", i.Name, a.Family, a.Local, a.Length)
			if a.Peer != "" {
				line = fmt.Sprintf("%s %s %s peer %s/%d", i.Name, a.Family, a.Local, a.Peer, a.Length)
			}
			lines = append(lines, line)
		}
	}
	for _, master := range slices.Sorted(maps.Keys(pods)) {
		lines = append(lines, fmt.Sprintf("interfaces of Pods: %d, master %s", pods[master], or(master, "none")))
	}
	slices.Sort(lines)
	return lines
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// unstable are knobs that change by themselves.
var unstable = []string{"net.netfilter.nf_conntrack_count", "net.ipv4.tcp_fastopen_key"}

func (l links) sysctls(p piece) []string {
	swap := strings.NewReplacer("/", ".", ".", "/") // as sysctl(8) writes eth0.1
	var lines []string
	for _, line := range p.lines() {
		path, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name := swap.Replace(path)
		parts := strings.Split(name, ".")
		if len(parts) == 5 && parts[2] == "conf" && l.isPod(parts[3]) || slices.Contains(unstable, name) {
			continue
		}
		lines = append(lines, name+" = "+strings.Join(strings.Fields(value), " "))
	}
	slices.Sort(lines)
	return slices.Compact(lines) // two patterns may name one file
}

// expiry is how much longer a route of a router advertisement is good for.
var expiry = regexp.MustCompile(` (expires \S+|linkdown|dead)\b`)

// routes leaves out those that the kernel makes for each address and for each
// interface that is up: the section of interfaces has them.
func (l links) routes(p piece) []string {
	var lines []string
	for _, line := range l.outside(p) {
		made := strings.Contains(line, " proto kernel ")
		if made && (strings.Contains(line, " table local ") || strings.Contains(line, " fe80::/64 ")) || strings.Contains(line, " ff00::/8 ") {
			continue
		}
		lines = append(lines, expiry.ReplaceAllString(line, ""))
	}
	slices.Sort(lines)
	return lines
}

// refcnt counts references, and a queue's handle may be given by the kernel.
var refcnt = regexp.MustCompile(` refcnt \d+`)

// qdiscs leaves out what each virtual interface has.
func (l links) qdiscs(p piece) []string {
	var lines []string
	for _, line := range l.outside(p) {
		if !strings.HasPrefix(line, "qdisc noqueue ") {
			lines = append(lines, refcnt.ReplaceAllString(line, ""))
		}
	}
	return lines
}

// outside returns sorted lines that are not about a Pod's interface.
func (l links) outside(p piece) []string {
	return slices.DeleteFunc(sorted(p), func(line string) bool { return l.isPod(device(line)) })
}

// device is the interface that a line of ip or tc is about.
func device(line string) string {
	words := strings.Fields(line)
	if i := slices.Index(words, "dev"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// chain is a chain of nftables as `nft -j list chains` has it.
type chain struct {
	Family, Table, Name, Hook, Policy string
}

// nftablesSince is the libvirt that keeps its rules in an nftables table of its
// own by default. Before, they stood in the same chain as everybody else's and
// came first.
const nftablesSince = "10.4.0"

// firewall looks for what drops the nodes' packets on a host that others share:
// Docker and ufw set the policy of FORWARD to drop. A private hypervisor has a
// namespace without them.
func firewall(ctx context.Context, s survey) []Finding {
	if !s.shared() {
		return nil
	}
	chains, err := s.forwardChains(ctx)
	if err != nil {
		return note(fmt.Sprintf("the rules cannot be read: %v", err), "sudo labctl doctor")
	}
	var dropping []chain
	for _, c := range chains {
		if c.Hook == "forward" && strings.EqualFold(c.Policy, "drop") && !s.libvirtComesFirst(c) {
			dropping = append(dropping, c)
		}
	}
	filtered := s.read("/proc/sys/net/bridge/bridge-nf-call-iptables") == "1"
	if len(dropping) == 0 {
		if filtered {
			return note("what nodes send to each other passes this machine's iptables (br_netfilter), where libvirt rewrites the source of what a node sends through another",
				"sysctl -w net.bridge.bridge-nf-call-iptables=0")
		}
		return ok("nothing drops forwarded packets by policy")
	}
	c := dropping[0]
	docker := slices.ContainsFunc(chains, func(c chain) bool { return c.Name == "DOCKER-USER" })
	text := fmt.Sprintf("chain %s of table %s %s drops forwarded packets%s", c.Name, c.Family, c.Table, s.whose(docker))
	fix := s.letThrough(c, docker)
	if filtered {
		return bad(text+", those between nodes too (br_netfilter)", fix)
	}
	return note(text+": nodes reach each other, but nothing outside", fix)
}

// forwardChains reads the chains of nftables and of legacy iptables. The legacy
// program loads modules when there is nothing to list, so it is asked only where
// the kernel has its table already.
func (s survey) forwardChains(ctx context.Context) ([]chain, error) {
	var chains []chain
	if path, found := s.find("nft", daemonPath); found {
		text, err := s.Run(ctx, s.path(path), "-j", "list", "chains")
		if err != nil {
			return nil, err
		}
		if chains, err = parseChains(text); err != nil {
			return nil, err
		}
	}
	path, found := s.find("iptables-legacy", daemonPath)
	if found && strings.Contains(s.read("/proc/net/ip_tables_names"), "filter") {
		text, err := s.Run(ctx, s.path(path), "-S")
		if err != nil {
			return nil, err
		}
		chains = append(chains, parseLegacy(text)...)
	}
	return chains, nil
}

func parseChains(text string) ([]chain, error) {
	var list struct {
		NFTables []struct{ Chain *chain }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("reading the answer of nft: %w", err)
	}
	var chains []chain
	for _, e := range list.NFTables {
		if e.Chain != nil {
			chains = append(chains, *e.Chain)
		}
	}
	return chains, nil
}

// parseLegacy reads `iptables -S`: -P is a built-in chain's policy, -N a chain.
func parseLegacy(text string) []chain {
	var chains []chain
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "-P":
			chains = append(chains, chain{Family: "ip", Table: "filter", Name: f[1], Hook: strings.ToLower(f[1]), Policy: strings.ToLower(f[2])})
		case len(f) == 2 && f[0] == "-N":
			chains = append(chains, chain{Family: "ip", Table: "filter", Name: f[1]})
		}
	}
	return chains
}

// iptables says whether a chain is the one that iptables calls FORWARD.
func (c chain) iptables() bool { return c.Family == "ip" && c.Table == "filter" && c.Name == "FORWARD" }

// libvirtComesFirst says that libvirt's own rules accept before the policy does
// harm.
func (s survey) libvirtComesFirst(c chain) bool {
	return c.iptables() && s.facts != nil && s.facts.Libvirt != "" && compareVersions(s.facts.Libvirt, nftablesSince) < 0
}

func (s survey) ufw() bool {
	return strings.Contains(s.read("/etc/ufw/ufw.conf"), "ENABLED=yes")
}

func (s survey) whose(docker bool) string {
	switch {
	case docker:
		return " (Docker's doing)"
	case s.ufw():
		return " (ufw's doing)"
	}
	return ""
}

// letThrough is the command that accepts the pair's packets.
func (s survey) letThrough(c chain, docker bool) string {
	both := func(format string) string {
		return fmt.Sprintf(format, "in", "i", s.Bridge) + " && " + fmt.Sprintf(format, "out", "o", s.Bridge)
	}
	switch {
	case c.iptables() && docker:
		return both("iptables -I DOCKER-USER -%[2]s %[3]s -j ACCEPT")
	case c.iptables() && s.ufw():
		return both("ufw route allow %[1]s on %[3]s")
	case c.iptables():
		return both("iptables -I FORWARD -%[2]s %[3]s -j ACCEPT")
	}
	rule := fmt.Sprintf("nft insert rule %s %s %s ", c.Family, c.Table, c.Name)
	return both(rule + "%[2]sifname %[3]s accept")
}

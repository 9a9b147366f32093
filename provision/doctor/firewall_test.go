package doctor

import (
	"testing"

	"labctl/provision"
)

// seenDrop is what `nft -j list chains` answered after `iptables -P FORWARD
// DROP; iptables -N DOCKER-USER` (nftables 1.0.6, iptables 1.8.9).
const seenDrop = `{"nftables": [{"metainfo": {"version": "1.0.6", "release_name": "Lester Gooch #5", "json_schema_version": 1}}, {"chain": {"family": "ip", "table": "filter", "name": "FORWARD", "handle": 1, "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}}, {"chain": {"family": "ip", "table": "filter", "name": "DOCKER-USER", "handle": 2}}]}`

const (
	forwardDrop = `{"nftables": [{"chain": {"family": "ip", "table": "filter", "name": "FORWARD", "hook": "forward", "prio": 0, "policy": "drop"}}]}`
	ownTable    = `{"nftables": [{"chain": {"family": "inet", "table": "guard", "name": "fwd", "hook": "forward", "prio": 0, "policy": "drop"}}]}`
	inputDrop   = `{"nftables": [{"chain": {"family": "inet", "table": "guard", "name": "in", "hook": "input", "prio": 0, "policy": "drop"}}, {"chain": {"family": "inet", "table": "guard", "name": "fwd", "hook": "forward", "prio": 0, "policy": "accept"}}]}`
)

func TestFirewall(t *testing.T) {
	t.Parallel()
	rules := func(json, libvirt string) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) {
			f := facts()
			f.Libvirt = libvirt
			system(m, f)
			install(t, *m, "/usr/sbin/nft")
			m.Run = runner{"/usr/sbin/nft -j list chains": json}.on(m.Root)
		}
	}
	play(t, "firewall", []scene{
		{"private has none", nil, []string{}},
		{"another machine's", func(_ *testing.T, m *Machine) { m.Hypervisor = "qemu+tls://far/system" }, []string{}},
		{"no nft, no rules", answering(func(*provision.Facts) {}), []string{"ok: nothing drops forwarded packets by policy"}},
		{"none", rules(`{"nftables": []}`, "11.3.0"), []string{"ok: nothing drops forwarded packets by policy"}},
		{"none, and bridges filtered", func(t *testing.T, m *Machine) {
			rules(`{"nftables": []}`, "11.3.0")(t, m)
			write(t, *m, "/proc/sys/net/bridge/bridge-nf-call-iptables", "1\n")
		}, []string{"note: what nodes send to each other passes this machine's iptables (br_netfilter), where libvirt rewrites the source of what a node sends through another -> sysctl -w net.bridge.bridge-nf-call-iptables=0"}},
		{"only what comes in", rules(inputDrop, "11.3.0"), []string{"ok: nothing drops forwarded packets by policy"}},
		{"Docker", rules(seenDrop, "11.3.0"),
			[]string{"note: chain FORWARD of table ip filter drops forwarded packets (Docker's doing): nodes reach each other, but nothing outside -> iptables -I DOCKER-USER -i lab-47d8bd46 -j ACCEPT && iptables -I DOCKER-USER -o lab-47d8bd46 -j ACCEPT"}},
		{"Docker, and bridges filtered too", func(t *testing.T, m *Machine) {
			rules(seenDrop, "11.3.0")(t, m)
			write(t, *m, "/proc/sys/net/bridge/bridge-nf-call-iptables", "1\n")
		}, []string{"bad: chain FORWARD of table ip filter drops forwarded packets (Docker's doing), those between nodes too (br_netfilter) -> iptables -I DOCKER-USER -i lab-47d8bd46 -j ACCEPT && iptables -I DOCKER-USER -o lab-47d8bd46 -j ACCEPT"}},
		{"Docker, under a libvirt whose rules come first", rules(seenDrop, "9.0.0"), []string{"ok: nothing drops forwarded packets by policy"}},
		{"ufw", func(t *testing.T, m *Machine) {
			rules(forwardDrop, "10.4.0")(t, m)
			write(t, *m, "/etc/ufw/ufw.conf", "# x\nENABLED=yes\n")
		}, []string{"note: chain FORWARD of table ip filter drops forwarded packets (ufw's doing): nodes reach each other, but nothing outside -> ufw route allow in on lab-47d8bd46 && ufw route allow out on lab-47d8bd46"}},
		{"somebody's iptables", rules(forwardDrop, "10.4.0"),
			[]string{"note: chain FORWARD of table ip filter drops forwarded packets: nodes reach each other, but nothing outside -> iptables -I FORWARD -i lab-47d8bd46 -j ACCEPT && iptables -I FORWARD -o lab-47d8bd46 -j ACCEPT"}},
		{"a table of their own", rules(ownTable, "9.0.0"),
			[]string{"note: chain fwd of table inet guard drops forwarded packets: nodes reach each other, but nothing outside -> nft insert rule inet guard fwd iifname lab-47d8bd46 accept && nft insert rule inet guard fwd oifname lab-47d8bd46 accept"}},
		{"legacy iptables", func(t *testing.T, m *Machine) {
			rules(`{"nftables": []}`, "11.3.0")(t, m)
			write(t, *m, "/proc/net/ip_tables_names", "nat\nfilter\n")
			install(t, *m, "/usr/sbin/iptables-legacy")
			m.Run = runner{
				"/usr/sbin/nft -j list chains": `{"nftables": []}`,
				"/usr/sbin/iptables-legacy -S": "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n-N DOCKER-USER\n-A FORWARD -j DOCKER-USER\n",
			}.on(m.Root)
		}, []string{"note: chain FORWARD of table ip filter drops forwarded packets (Docker's doing): nodes reach each other, but nothing outside -> iptables -I DOCKER-USER -i lab-47d8bd46 -j ACCEPT && iptables -I DOCKER-USER -o lab-47d8bd46 -j ACCEPT"}},
		{"legacy iptables is not asked where it would load modules", func(t *testing.T, m *Machine) {
			rules(`{"nftables": []}`, "11.3.0")(t, m)
			install(t, *m, "/usr/sbin/iptables-legacy") // the runner knows no answer
		}, []string{"ok: nothing drops forwarded packets by policy"}},
		{"not allowed to look", func(t *testing.T, m *Machine) {
			rules("", "11.3.0")(t, m)
			m.Run = runner{}.on(m.Root)
		}, []string{"note: the rules cannot be read: running /usr/sbin/nft -j list chains: exit status 1 -> sudo labctl doctor"}},
	})
}

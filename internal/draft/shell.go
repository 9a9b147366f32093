package draft

import (
	"regexp"
	"slices"
	"strings"
)

// programs are those that networking write-ups run. A paragraph of plain text that
// begins with one is taken for commands.
const programs = `
apt apt-get arp arping awk bpftool brctl bridge calicoctl cat cd chmod cilium conntrack cp crictl ctr curl date dig dmesg
docker echo ethtool etcdctl export find grep head helm hostname ip ip6tables ip6tables-save ipset iperf iperf3 iptables
iptables-restore iptables-save ipvsadm istioctl journalctl jq kubeadm kubectl kubelet ls lsmod mkdir modprobe mtr mv nc ncat
netstat nft nohup nsenter nslookup openssl ping printf ps python3 rm route scp sed sleep ss ssh strace sudo sysctl systemctl tail tc
tcpdump tee test timeout touch traceroute uname watch wget`

var (
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=\S*`)
	compound   = regexp.MustCompile(`^(?:for|while|until|if)\b.*(?:;|\bdo$|\bthen$)`)
	han        = regexp.MustCompile(`\p{Han}`)
	sentence   = regexp.MustCompile(`[.!?:]$`)
)

// looksLikeShell tells commands from prose by how they begin.
func looksLikeShell(lines []string) bool {
	first := ""
	for _, l := range lines {
		if first == "" && !strings.HasPrefix(l, "#") {
			first = strings.TrimSpace(l)
		}
	}
	switch {
	case first == "" || han.MatchString(first):
		return false
	case compound.MatchString(first):
		return true
	}
	words := strings.Fields(first)
	if assignment.MatchString(words[0]) {
		return true
	}
	if !slices.Contains(strings.Fields(programs), words[0]) {
		return false
	}
	return !sentence.MatchString(first) || strings.ContainsAny(first, "|$<>`'\"")
}

// prompt is what a terminal shows before a command: user@host, a folder, and $ or,
// for root, #.
var prompt = regexp.MustCompile(`^\s{0,3}(?:\[?[a-z_][a-z0-9_-]*@([A-Za-z0-9.-]+)[^$#]{0,60})?([$#]) +(\S.*)$`)

// isPrompt says that a line is a command behind a prompt. A # by itself may begin a
// comment: what is behind it must look like a command.
func isPrompt(line string) bool {
	m := prompt.FindStringSubmatch(line)
	return m != nil && (m[2] == "$" || m[1] != "" || looksLikeShell([]string{m[3]}))
}

// command is a script of a session, and what the session shows of its output.
type command struct {
	host   string
	root   bool
	script []string
	output []string
}

// session reads commands behind prompts. Those of one user on one host are one
// script: what one leaves in a variable, the next needs.
func session(lines []string) []command {
	var all []command
	var read reading // of the last script
	for _, l := range lines {
		m := prompt.FindStringSubmatch(l)
		switch {
		case read.incomplete():
			last := &all[len(all)-1]
			last.script = append(last.script, strings.TrimPrefix(l, "> "))
		case m != nil && isPrompt(l):
			if len(all) == 0 || all[len(all)-1].host != m[1] || all[len(all)-1].root != (m[2] == "#") {
				all = append(all, command{host: m[1], root: m[2] == "#"})
				read = reading{}
			}
			last := &all[len(all)-1]
			for n := len(last.output); n > 0 && blank(last.output[n-1]); n-- {
				last.output = last.output[:n-1] // it sets the next prompt apart
			}
			last.script = append(last.script, m[3])
		case len(all) > 0:
			last := &all[len(all)-1]
			last.output = append(last.output, l)
			continue
		default:
			continue
		}
		script := all[len(all)-1].script
		read.add(script[len(script)-1])
	}
	return all
}

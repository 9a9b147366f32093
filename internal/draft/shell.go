package draft

import (
	"cmp"
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
netstat nft nsenter nslookup openssl ping printf ps python3 rm route scp sed sleep ss ssh strace sudo sysctl systemctl tail tc
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

var (
	heredoc    = regexp.MustCompile(`(?:^|[^<])<<-?\s*(?:'([^']+)'|"([^"]+)"|\\?([A-Za-z_][A-Za-z0-9_.-]*))`)
	arithmetic = regexp.MustCompile(`\(\([^()]*\)\)`) // its << shifts
)

// openHeredoc is the word that ends a here-document which the lines leave open.
func openHeredoc(lines []string) string {
	open := ""
	for _, l := range lines {
		if open != "" {
			if strings.TrimSpace(l) == open {
				open = ""
			}
			continue
		}
		if m := heredoc.FindStringSubmatch(arithmetic.ReplaceAllString(l, "")); m != nil {
			open = cmp.Or(m[1], m[2], m[3])
		}
	}
	return open
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
	goesOn := false
	for _, l := range lines {
		m := prompt.FindStringSubmatch(l)
		switch {
		case goesOn:
			last := &all[len(all)-1]
			last.script = append(last.script, strings.TrimPrefix(l, "> "))
		case m != nil && isPrompt(l):
			if len(all) == 0 || all[len(all)-1].host != m[1] || all[len(all)-1].root != (m[2] == "#") {
				all = append(all, command{host: m[1], root: m[2] == "#"})
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
		goesOn = incomplete(all[len(all)-1].script)
	}
	return all
}

// incomplete says that bash would ask for more.
func incomplete(script []string) bool {
	last := strings.TrimRight(script[len(script)-1], " ")
	if openHeredoc(script) != "" {
		return true
	}
	for _, end := range []string{`\`, "|", "&&", "||", " do", " then"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	return openQuote(strings.Join(script, "\n"))
}

// openQuote says that a quote is not closed. Those in comments quote nothing.
func openQuote(text string) bool {
	var open rune
	escaped, comment, blank := false, false, true
	for _, r := range text {
		comment = r != '\n' && (comment || r == '#' && open == 0 && blank)
		blank = !escaped && strings.ContainsRune(" \t\n;&|(", r)
		switch {
		case comment:
		case escaped:
			escaped = false
		case r == '\\' && open != '\'':
			escaped = true
		case open != 0:
			if r == open {
				open = 0
			}
		case r == '\'' || r == '"':
			open = r
		}
	}
	return open != 0
}

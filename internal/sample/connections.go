package sample

import (
	"net/netip"
	"strings"
)

// tuple is one direction of a connection.
type tuple struct{ src, dst, sport, dport, icmp string }

func (t tuple) from() string { return end(t.src, t.sport) }
func (t tuple) to() string   { return end(t.dst, t.dport) }

func end(address, port string) string {
	switch {
	case port == "":
		return address
	case strings.Contains(address, ":"):
		return "[" + address + "]:" + port
	}
	return address + ":" + port
}

// connection is a line of conntrack -L or of /proc/net/nf_conntrack in few words:
// what changes with every packet (the time that is left, counters) is left out, and
// so is an answer that comes from where the question went. local tells that both ends
// are the node's own loopback. A line that has no connection is shown as it is.
func connection(line string) (text string, local bool) {
	words := strings.Fields(line)
	if len(words) > 2 && (words[0] == "ipv4" || words[0] == "ipv6") {
		words = words[2:] // the family and its number
	}
	var both []tuple
	var state, marks []string
	for i, word := range words {
		key, value, pair := strings.Cut(word, "=")
		switch {
		case key == "src" && pair:
			both = append(both, tuple{src: value})
		case pair && len(both) > 0:
			t := &both[len(both)-1]
			switch key {
			case "dst":
				t.dst = value
			case "sport":
				t.sport = value
			case "dport":
				t.dport = value
			case "id":
				t.icmp = " id " + value
			case "mark":
				if value != "0" {
					marks = append(marks, word)
				}
			}
		case word == "[UNREPLIED]" || word == "[OFFLOAD]" || word == "[HW_OFFLOAD]":
			marks = append(marks, word)
		case i > 0 && strings.ToUpper(word) == word && strings.ContainsAny(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && word[0] != '[':
			state = append(state, word)
		}
	}
	if len(both) == 0 || len(words) == 0 {
		return strings.TrimSpace(line), false
	}
	there := both[0]
	if loopback(there.src) && loopback(there.dst) {
		return "", true
	}
	parts := append(append([]string{words[0]}, state...), there.from(), "→", there.to()+there.icmp)
	if len(both) > 1 {
		parts = append(parts, answer(there, both[1])...)
	}
	return strings.Join(append(parts, marks...), " "), false
}

// answer says where the answers come from and go to, as far as that is not what the
// first direction tells already: what is different was translated.
func answer(there, back tuple) []string {
	switch {
	case back.to() != there.from():
		return []string{"⇄", back.from(), "→", back.to()}
	case back.from() != there.to():
		return []string{"⇄", back.from()}
	}
	return nil
}

func loopback(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && a.IsLoopback()
}

package sample

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var comment = regexp.MustCompile(`-m comment --comment ("(?:[^"\\]|\\.)*"|\S+) ?`)

// rule is a line of iptables-save with its table before it and its comment behind:
// kube-proxy's comments name the Service, and are longer than the rest.
func rule(table, line string) string {
	told := comment.FindStringSubmatch(line)
	if told == nil {
		return table + " " + line
	}
	return fmt.Sprintf("%s %s # %s", table, strings.TrimSpace(comment.ReplaceAllString(line, "")), strings.Trim(told[1], `"`))
}

// virtual is a line of /proc/net/ip_vs as ipvsadm -Ln has it, addresses and ports as
// people write them, without the counters; nothing of the table's head.
func virtual(line string) []string {
	words := strings.Fields(line)
	switch {
	case len(words) >= 4 && words[0] == "->":
		if to, ok := hexAddress(words[1]); ok {
			return []string{fmt.Sprintf("ipvs    -> %s %s weight %s", to, words[2], words[3])}
		}
	case len(words) >= 3 && (words[0] == "TCP" || words[0] == "UDP" || words[0] == "SCTP"):
		if at, ok := hexAddress(words[1]); ok {
			return []string{"ipvs " + strings.Join(append([]string{words[0], at}, words[2:]...), " ")}
		}
	case len(words) >= 3 && words[0] == "FWM":
		return []string{"ipvs " + strings.Join(words, " ")}
	}
	return nil
}

// hexAddress reads 0A600001:01BB, or [fd00:…]:01BB, as the kernel writes addresses.
func hexAddress(text string) (string, bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return "", false
	}
	port, err := strconv.ParseUint(text[at+1:], 16, 16)
	if err != nil {
		return "", false
	}
	if v6, err := netip.ParseAddr(strings.Trim(text[:at], "[]")); err == nil {
		return netip.AddrPortFrom(v6, uint16(port)).String(), true
	}
	raw, err := hex.DecodeString(text[:at])
	address, ok := netip.AddrFromSlice(raw)
	if err != nil || !ok {
		return "", false
	}
	return netip.AddrPortFrom(address, uint16(port)).String(), true
}

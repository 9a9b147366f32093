package packets

import (
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// kind of a line.
type kind int

const (
	noPacket kind = iota
	foreign       // a packet of another protocol
	known
)

// line reads one line: a time, for `-i any` an interface and a way, a protocol,
// and what tcpdump says of it.
func line(l string) (Packet, kind) {
	var p Packet
	word, rest, _ := strings.Cut(l, " ")
	at, ok := stamp(word)
	if !ok {
		return p, noPacket
	}
	p.Time = at
	rest = strings.TrimLeft(rest, " ")
	protocol, body, _ := strings.Cut(rest, " ")
	if _, ok := protocols[protocol]; !ok {
		p.Interface = protocol
		var way string
		way, rest, _ = strings.Cut(strings.TrimLeft(body, " "), " ")
		if p.Way, ok = ways[way]; !ok {
			return p, noPacket
		}
		p.Everybody = way == "B" || way == "M"
		protocol, body, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	switch tcp, ok := protocols[protocol]; {
	case !ok:
		if protocol == "" {
			return p, noPacket
		}
		return p, foreign
	case tcp:
		p.TCP = segment(body)
	default:
		p.ARP = arp(body)
	}
	if p.TCP == nil && p.ARP == nil {
		return p, foreign
	}
	return p, known
}

// protocols says of a line's protocol whether it may carry TCP.
var protocols = map[string]bool{"IP": true, "IP6": true, "ARP,": false}

// ways are tcpdump's words. What came for everybody came in; what passed on its
// way to another machine (P) went neither in nor out.
var ways = map[string]Way{"In": In, "B": In, "M": In, "Out": Out, "P": Unknown}

var timeOfDay = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?$`)

// epoch is what time.Duration can hold: some three hundred years.
var epoch = regexp.MustCompile(`^(\d{1,9}|[1-8]\d{9})\.(\d{1,9})$`)

// stamp reads seconds since the epoch (-tt), or the time of day.
func stamp(word string) (time.Duration, bool) {
	if m := epoch.FindStringSubmatch(word); m != nil {
		return number(m[1])*time.Second + fraction(m[2]), true
	}
	if m := timeOfDay.FindStringSubmatch(word); m != nil {
		return number(m[1])*time.Hour + number(m[2])*time.Minute + number(m[3])*time.Second + fraction(m[4]), true
	}
	return 0, false
}

// number is of digits that a pattern has counted.
func number(digits string) time.Duration {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return time.Duration(n)
}

func fraction(digits string) time.Duration {
	return number((digits + "000000000")[:9])
}

// tcp is what tcpdump prints of a segment. The length ends it, or a colon before
// what it makes of the payload: a line that was cut has none and is no packet.
var tcp = regexp.MustCompile(`^(\S+) > (\S+): Flags \[([A-Za-z.]*|none)\](?:, cksum [^,]*)?(?:, seq (\d+)(?::(\d+))?)?(?:, ack (\d+))?(?:, win \d+)?(?:, urg \d+)?(?:, options \[([^\]]*)\])?, length (\d+)(?:[:,].*)?$`)

var stampOption = regexp.MustCompile(`TS val \d+ ecr \d+`)

func segment(body string) *TCP {
	m := tcp.FindStringSubmatch(body)
	if m == nil {
		return nil
	}
	from, ok := endpoint(m[1])
	to, ok2 := endpoint(m[2])
	length, err := strconv.ParseUint(m[8], 10, 32)
	if !ok || !ok2 || err != nil {
		return nil
	}
	t := &TCP{From: from, To: to, Flags: m[3], Length: uint32(length), Stamp: stampOption.FindString(m[7])}
	if t.Flags == "none" {
		t.Flags = ""
	}
	if t.Seq, t.HasSeq, ok = wire(m[4]); !ok {
		return nil
	}
	if t.Ack, t.HasAck, ok = wire(m[6]); !ok {
		return nil
	}
	return t
}

// wire is a number of 32 bits, where there is one.
func wire(digits string) (n uint32, there, ok bool) {
	if digits == "" {
		return 0, false, true
	}
	v, err := strconv.ParseUint(digits, 10, 32)
	return uint32(v), true, err == nil
}

// endpoint is an address and a port with a dot between them, as tcpdump writes
// both IPv4 and IPv6.
func endpoint(word string) (netip.AddrPort, bool) {
	dot := strings.LastIndexByte(word, '.')
	if dot < 0 {
		return netip.AddrPort{}, false
	}
	addr, err := netip.ParseAddr(word[:dot])
	port, err2 := strconv.ParseUint(word[dot+1:], 10, 16)
	return netip.AddrPortFrom(addr.WithZone(""), uint16(port)), err == nil && err2 == nil
}

var (
	question = regexp.MustCompile(`^(?:Ethernet[^,]*, IPv4[^,]*, )?Request who-has ([^\s,]+)(?: \(([^)]*)\))? tell ([^\s,]+), length \d+$`)
	answer   = regexp.MustCompile(`^(?:Ethernet[^,]*, IPv4[^,]*, )?Reply ([^\s,]+) is-at ([0-9a-fA-F:]+)(?: \([^)]*\))?, length \d+$`)
)

func arp(body string) *ARP {
	if m := question.FindStringSubmatch(body); m != nil {
		target, err := netip.ParseAddr(m[1])
		asker, err2 := netip.ParseAddr(m[3])
		if err != nil || err2 != nil {
			return nil
		}
		a := &ARP{Target: target, Asker: asker}
		if mac, err := net.ParseMAC(m[2]); err == nil && mac.String() != "ff:ff:ff:ff:ff:ff" {
			a.MAC = mac.String()
		}
		return a
	}
	if m := answer.FindStringSubmatch(body); m != nil {
		target, err := netip.ParseAddr(m[1])
		mac, err2 := net.ParseMAC(m[2])
		if err != nil || err2 != nil {
			return nil
		}
		return &ARP{Reply: true, Target: target, MAC: mac.String()}
	}
	return nil
}

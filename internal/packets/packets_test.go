package packets

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ap(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

func TestLines(t *testing.T) {
	at := 1764500000*time.Second + 123456*time.Microsecond
	from, to := ap("10.244.0.5:41000"), ap("10.96.12.7:9001")
	for _, c := range []struct {
		line string
		want Packet
	}{
		{"1764500000.123456 veth1a2b3c In  IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [S], seq 1000, win 64860, options [mss 1410,sackOK,TS val 1 ecr 0,nop,wscale 7], length 0",
			Packet{Time: at, Interface: "veth1a2b3c", Way: In, TCP: &TCP{From: from, To: to, Flags: "S", Seq: 1000, HasSeq: true, Stamp: "TS val 1 ecr 0"}}},
		{"1764500000.123456 enp1s0 Out IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [.], ack 2001, win 507, length 0",
			Packet{Time: at, Interface: "enp1s0", Way: Out, TCP: &TCP{From: from, To: to, Flags: ".", Ack: 2001, HasAck: true}}},
		{"1764500000.123456 eth0  P   IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [P.], seq 1:8, ack 4294967295, win 507, length 7",
			Packet{Time: at, Interface: "eth0", TCP: &TCP{From: from, To: to, Flags: "P.", Seq: 1, HasSeq: true, Ack: 4294967295, HasAck: true, Length: 7}}},
		{"12:34:56.000001 IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [R], seq 1000, win 0, length 0",
			Packet{Time: 12*time.Hour + 34*time.Minute + 56*time.Second + time.Microsecond, TCP: &TCP{From: from, To: to, Flags: "R", Seq: 1000, HasSeq: true}}},
		{"00:00:00 IP6 fd00::5.41000 > fd00:96::7.9001: Flags [SEW], seq 1, win 1, length 0",
			Packet{TCP: &TCP{From: ap("[fd00::5]:41000"), To: ap("[fd00:96::7]:9001"), Flags: "SEW", Seq: 1, HasSeq: true}}},
		{"1764500000.123456 IP 10.244.0.5.41000 > 10.96.12.7.80: Flags [P.], cksum 0x1c2d (correct), seq 1:79, ack 1, win 507, urg 3, options [nop], length 78: HTTP: GET / HTTP/1.1, length 9",
			Packet{Time: at, TCP: &TCP{From: from, To: ap("10.96.12.7:80"), Flags: "P.", Seq: 1, HasSeq: true, Ack: 1, HasAck: true, Length: 78}}},
		{"1764500000.123456 IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [none], win 507, length 0",
			Packet{Time: at, TCP: &TCP{From: from, To: to}}},
		{"1764500000.123456 enp1s0 B   ARP, Request who-has 10.10.10.200 tell 10.10.10.132, length 46",
			Packet{Time: at, Interface: "enp1s0", Way: In, Everybody: true, ARP: &ARP{Target: netip.MustParseAddr("10.10.10.200"), Asker: netip.MustParseAddr("10.10.10.132")}}},
		{"1764500000.123456 enp1s0 M   ARP, Request who-has 10.10.10.200 (ff:ff:ff:ff:ff:ff) tell 10.10.10.132, length 28",
			Packet{Time: at, Interface: "enp1s0", Way: In, Everybody: true, ARP: &ARP{Target: netip.MustParseAddr("10.10.10.200"), Asker: netip.MustParseAddr("10.10.10.132")}}},
		{"1764500000.123456 enp1s0 In  ARP, Request who-has 10.10.10.200 tell 10.10.10.132, length 28",
			Packet{Time: at, Interface: "enp1s0", Way: In, ARP: &ARP{Target: netip.MustParseAddr("10.10.10.200"), Asker: netip.MustParseAddr("10.10.10.132")}}},
		{"1764500000.123456 ARP, Ethernet (len 6), IPv4 (len 4), Request who-has 10.10.10.200 (52:54:00:AA:bb:cc) tell 10.10.10.132, length 28",
			Packet{Time: at, ARP: &ARP{Target: netip.MustParseAddr("10.10.10.200"), Asker: netip.MustParseAddr("10.10.10.132"), MAC: "52:54:00:aa:bb:cc"}}},
		{"1764500000.123456 enp1s0 Out ARP, Reply 10.10.10.200 is-at 52:54:00:aa:bb:cc, length 46",
			Packet{Time: at, Interface: "enp1s0", Way: Out, ARP: &ARP{Reply: true, Target: netip.MustParseAddr("10.10.10.200"), MAC: "52:54:00:aa:bb:cc"}}},
	} {
		got := Parse(c.line + "\r\n")
		require.Len(t, got.Packets, 1, c.line)
		assert.Equal(t, c.want, got.Packets[0], c.line)
		assert.Equal(t, Capture{Packets: got.Packets}, got)
	}
}

// TestNoPackets: what tcpdump and the step itself print besides.
func TestNoPackets(t *testing.T) {
	for _, l := range []string{
		"listening on any, link-type LINUX_SLL2 (Linux cooked v2), snapshot length 262144 bytes",
		"12 packets captured", "0 packets dropped by kernel", "tcpdump: data link type LINUX_SLL2",
		"… 4096 bytes left out …", "1764500000.5", "1764500000.5 ", "25:00:00.1 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
		"node_netstat_Tcp_InErrs 12", "1764500000.5 eth0 Sideways IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
		"17645000001234.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
	} {
		assert.Equal(t, Capture{Other: 1}, Parse(l), l)
	}
	for _, l := range []string{
		"1764500000.5 IP 10.0.0.1.53 > 10.0.0.2.5353: 1234+ A? example. (25)",
		"1764500000.5 eth0 In  IP6 fe80::1 > ff02::2: ICMP6, router solicitation, length 8",
		"1764500000.5 eth0 In  LLDP, length 12",
		"1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 1, win 1",                  // cut off
		"1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0garbage", // torn
		"1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [S], seq 4294967296, win 1, length 0",
		"1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [.], ack 4294967296, win 1, length 0",
		"1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [.], ack 1, win 1, length 4294967296",
		"1764500000.5 IP 10.0.0.1.70000 > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
		"1764500000.5 IP host > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
		"1764500000.5 IP a.b > 10.0.0.2.2: Flags [S], seq 1, win 1, length 0",
		"1764500000.5 ARP, Request who-has host tell 10.0.0.1, length 28",
		"1764500000.5 ARP, Reply 10.0.0.1 is-at 52:54, length 28",
		"1764500000.5 ARP, Unknown", "1764500000.5 eth0 B   ARP,",
	} {
		assert.Equal(t, Capture{Foreign: 1}, Parse(l), l)
	}
	assert.Equal(t, Capture{}, Parse("\n\n  \r\n"))
}

// TestTimes: a capture's packets are in the order of its lines.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name   string
		stamps []string
		want   []time.Duration
	}{
		{"of several processors", []string{"100.000002", "100.000001", "100.000003"}, []time.Duration{100*time.Second + 2000, 100*time.Second + 2000, 100*time.Second + 3000}},
		{"over midnight", []string{"23:59:59.9", "00:00:00.1", "00:00:00.2"}, []time.Duration{24*time.Hour - 100*time.Millisecond, 24*time.Hour + 100*time.Millisecond, 24*time.Hour + 200*time.Millisecond}},
		{"far back is no midnight", []string{"1764500000.0", "5.0"}, []time.Duration{1764500000 * time.Second, 1764500000 * time.Second}},
	} {
		var text strings.Builder
		for _, s := range c.stamps {
			text.WriteString(s + " IP 10.0.0.1.1 > 10.0.0.2.2: Flags [.], ack 1, win 1, length 0\n")
		}
		var got []time.Duration
		for _, p := range Parse(text.String()).Packets {
			got = append(got, p.Time)
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

func TestBounds(t *testing.T) {
	l := "1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [.], ack 1, win 1, length 0\n"
	got := Parse(strings.Repeat(l, MaxPackets+3))
	assert.Len(t, got.Packets, MaxPackets)
	assert.Equal(t, 3, got.Left)
	assert.Equal(t, Capture{Other: 1}, Parse(strings.Repeat("x", 4<<20)))
	long := "1764500000.5 IP 10.0.0.1.1 > 10.0.0.2.2: Flags [P.], seq 1:2, ack 1, win 1, length 1: " + strings.Repeat("y", 1<<20)
	assert.Len(t, Parse(long).Packets, 1)
}

func FuzzParse(f *testing.F) {
	f.Add("1764500000.123456 veth1 In  IP 10.244.0.5.41000 > 10.96.12.7.9001: Flags [S], seq 1000, win 1, options [TS val 1 ecr 0], length 0")
	f.Add("12:00:00.1 enp1s0 B   ARP, Request who-has 10.10.10.200 tell 10.10.10.132, length 46\n\xff\xfe\x00 \x1b[31m")
	f.Fuzz(func(t *testing.T, text string) {
		c := Parse(text)
		last := time.Duration(0)
		for _, p := range c.Packets {
			if (p.TCP == nil) == (p.ARP == nil) || p.Time < last {
				t.Fatalf("%+v", p)
			}
			last = p.Time
		}
	})
}

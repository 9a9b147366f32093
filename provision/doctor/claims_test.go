package doctor

import (
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// inNamespace runs fn on a thread in a new network namespace, which ends with
// the thread.
func inNamespace(t *testing.T, fn func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("makes a network namespace, as root: run without -short, as root, as `make test` does")
	}
	require.Zero(t, os.Geteuid(), "only root makes network namespaces")
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: Go ends the thread
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			done <- err
			return
		}
		fn()
	}()
	require.NoError(t, <-done)
}

// The kernel's own tables, with everything in them that can overlap.
func TestReadClaims(t *testing.T) {
	t.Parallel()
	var claims []Claim
	var errs []error
	inNamespace(t, func() {
		lo, err := netlink.LinkByName("lo")
		errs = append(errs, err)
		if err != nil {
			return
		}
		index := lo.Attrs().Index
		route := func(r netlink.Route, dst string) {
			r.Dst = ipNet(dst)
			if r.Type == 0 || r.Type == unix.RTN_LOCAL {
				r.LinkIndex, r.Scope = index, netlink.SCOPE_LINK
			}
			if r.Type == unix.RTN_LOCAL {
				r.Scope = netlink.SCOPE_HOST
			}
			errs = append(errs, netlink.RouteAdd(&r))
		}
		errs = append(errs,
			netlink.LinkSetUp(lo),
			netlink.AddrAdd(lo, &netlink.Addr{IPNet: ipNet("10.10.10.77/24")}),
			netlink.AddrAdd(lo, &netlink.Addr{IPNet: ipNet("192.168.9.1/32"), Peer: ipNet("10.10.10.200/32")}),
			netlink.AddrAdd(lo, &netlink.Addr{IPNet: ipNet("fd00::1/64")}))
		route(netlink.Route{}, "10.0.0.0/8")
		route(netlink.Route{Table: 220}, "10.10.10.128/25")
		route(netlink.Route{Table: 1000}, "10.10.10.5/32")
		route(netlink.Route{Table: 220}, "0.0.0.0/0")
		route(netlink.Route{Type: unix.RTN_BLACKHOLE}, "10.10.10.64/26")
		route(netlink.Route{Type: unix.RTN_UNREACHABLE, Table: 7}, "10.10.8.0/22")
		route(netlink.Route{Type: unix.RTN_LOCAL, Table: tableLocal}, "10.10.10.252/30")
		route(netlink.Route{}, "10.10.11.0/24")
		claims, err = readClaims()
		errs = append(errs, err)
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	var got []string
	for _, c := range overlaps(netip.MustParsePrefix("10.10.10.0/24"), claims, "") {
		got = append(got, c.String())
	}
	assert.ElementsMatch(t, []string{
		"address 10.10.10.77/24 dev lo",
		"peer 10.10.10.200/32 dev lo",
		"route 10.0.0.0/8 dev lo",
		"route 10.10.10.128/25 dev lo table 220",
		"route 10.10.10.5/32 dev lo table 1000",
		"blackhole route 10.10.10.64/26",
		"unreachable route 10.10.8.0/22 table 7",
		"local route 10.10.10.252/30 dev lo table local",
	}, got)
	all := map[string]bool{}
	for _, c := range claims {
		all[c.String()] = true
	}
	assert.True(t, all["route 10.10.11.0/24 dev lo"], "seen, and no overlap: %v", all)
	assert.True(t, all["route 0.0.0.0/0 dev lo table 220"], "seen, and no overlap: %v", all)
	assert.True(t, all["address 127.0.0.1/8 dev lo"], "%v", all)
	assert.False(t, all["local route 10.10.10.77/32 dev lo table local"], "the address says it already: %v", all)
}

func ipNet(text string) *net.IPNet {
	ip, network, err := net.ParseCIDR(text)
	if err != nil {
		return nil
	}
	return &net.IPNet{IP: ip, Mask: network.Mask}
}

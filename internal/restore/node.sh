# Prints the state of a node in sections, raw; what is normal about it is known
# to the reader. It must change nothing: no program runs here that loads a kernel
# module just to say that there is nothing.
#
# A section begins with a line RS NAME, one that cannot be looked at has a
# line US REASON, and the last line is RS end. It stops at the first error.
set -euo pipefail

section() { printf '\036%s\n' "$1"; }
absent() { printf '\037%s\n' "$1"; }
have() { command -v "$1" >/dev/null || { absent "$1 is not installed"; return 1; }; }
# Busybox has a program of this name that cannot do what is asked here.
have_ip() { [[ $(ip -V 2>/dev/null || true) == *iproute2* ]] || { absent "iproute2 is not installed"; return 1; }; }

section sysctls
cd /proc/sys
[ -r net/ipv4/ip_forward ]
# Folders are left out here: not every grep can. An interface may go while its
# knobs are read.
knobs=()
for f in net/netfilter/nf_* net/nf_conntrack_max net/bridge/* net/ipv4/vs/* net/ipv4/* \
	net/ipv4/conf/*/{accept_local,accept_redirects,arp_announce,arp_filter,arp_ignore,arp_notify} \
	net/ipv4/conf/*/{forwarding,proxy_arp,route_localnet,rp_filter,send_redirects,src_valid_mark} \
	net/ipv4/neigh/default/gc_thresh* net/ipv6/conf/*/{accept_ra,disable_ipv6,forwarding} \
	net/core/{netdev_max_backlog,rmem_max,somaxconn,wmem_max} fs/inotify/* \
	kernel/panic kernel/panic_on_oops kernel/keys/root_max* vm/overcommit_memory vm/panic_on_oom; do
	if [ -f "$f" ]; then knobs+=("$f"); fi
done
grep -sH '' "${knobs[@]}" || true

section iptables
if have iptables-save; then iptables-save --version; iptables-save; fi
section ip6tables
if have ip6tables-save; then ip6tables-save --version; ip6tables-save; fi
# The other backend of iptables, only where its tables exist already.
section iptables-legacy
if [ -s /proc/net/ip_tables_names ] && have iptables-legacy-save; then iptables-legacy-save; fi
section ip6tables-legacy
if [ -s /proc/net/ip6_tables_names ] && have ip6tables-legacy-save; then ip6tables-legacy-save; fi
section nftables
if have nft; then nft -s list ruleset; fi

section ipvs
if [ -e /proc/net/ip_vs ]; then
	if command -v ipvsadm >/dev/null; then ipvsadm -Sn; else
		awk 'NR > 3 { if ($1 == "->") print $1, $2, $3, $4; else print }' /proc/net/ip_vs
	fi
fi
section ipsets
if [ -d /sys/module/ip_set ] && have ipset; then ipset -t list; fi

section interfaces
if have_ip; then ip -d -j address show; fi
section routes
if have_ip; then
	ip -4 route show table all
	ip -6 route show table all | sed 's/^/-6 /'
fi
section rules
if have_ip; then
	ip -4 rule show
	ip -6 rule show | sed 's/^/-6 /'
fi
section neighbours
if have_ip; then
	ip neigh show nud permanent
	ip neigh show proxy
fi
section qdiscs
if have tc; then tc qdisc show; fi
section modules
if [ ! -e /proc/modules ]; then absent 'the kernel has no modules'; else cut -d' ' -f1 /proc/modules; fi

# A file may go while the tree is read. Big files have a size and no sum.
tree() {
	if ! find --version >/dev/null 2>&1; then
		# Busybox: its find does not print like this, and its files are few.
		{ find "$@" -xdev 2>/dev/null || true; } | while IFS= read -r f; do
			if [ -d "$f" ]; then printf 'd\t\t\t%s\0' "$f"
			elif [ -f "$f" ]; then printf 'f\t%s\t\t%s\0%s\0' "$(stat -c %s "$f")" "$f" "$(sha256sum "$f")"
			fi
		done
		return
	fi
	find "$@" -xdev -name 'systemd-private-*' -prune -o -printf '%y\t%s\t%l\t%p\0' 2>/dev/null || true
	find "$@" -xdev -name 'systemd-private-*' -prune -o -type f -size -64M -exec sha256sum -z {} + 2>/dev/null || true
}
section tmp
tree /tmp
section configuration
tree /etc/hosts /etc/resolv.conf /etc/sysctl.conf /etc/sysctl.d /etc/modules /etc/modules-load.d /etc/modprobe.d \
	/etc/nftables.conf /etc/cni /etc/containerd /etc/crictl.yaml /etc/kubernetes /var/lib/kubelet/config.yaml

section packages
if have dpkg-query; then dpkg-query -W -f '${db:Status-Abbrev}\t${Package}:${Architecture} ${Version}\n'; fi
section services
if [ ! -d /run/systemd/system ]; then
	absent 'systemd does not run'
elif have systemctl; then
	systemctl list-units --failed --plain --no-legend
	for unit in kubelet containerd crio docker; do
		printf '%s %s\n' "$unit" "$(systemctl is-active "$unit" || true)"
	done
fi
printf '\036end\n'

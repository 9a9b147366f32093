# Reads a node's packet filter and its connections, and changes nothing. What would
# load a kernel module by being asked is not asked: the lab's run would find that.
# $LIMIT is how many lines of each there may be.
has() {
	[ ! -e /proc/modules ] || [ -d "/sys/module/$1" ] ||
		grep -q "/$1\.ko" "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null
}
echo '== rules'
if [ -s /proc/net/ip_tables_names ] || has nf_tables; then
	if command -v iptables-save >/dev/null; then
		iptables-save 2>/dev/null | grep -E '^(\*|-A)' | head -n "$LIMIT"
	else
		echo '!there is no iptables-save'
	fi
fi
if [ -r /proc/net/ip_vs ]; then
	echo '== ipvs'
	head -n "$LIMIT" /proc/net/ip_vs
fi
echo '== connections'
if [ -r /proc/net/nf_conntrack ]; then
	head -n "$LIMIT" /proc/net/nf_conntrack
elif ! has nf_conntrack; then
	: # nothing is tracked
elif has nf_conntrack_netlink && command -v conntrack >/dev/null; then
	conntrack -L 2>/dev/null | head -n "$LIMIT"
else
	echo '!neither /proc/net/nf_conntrack nor conntrack shows them'
fi
: # what is not there is no failure of the look

#!/bin/bash
# Two nodes to try labs on, without virtual machines: cp (10.10.10.130) and worker
# (10.10.10.131), network namespaces of this machine with an SSH server each, on a
# segment of their own. It needs root and the package openssh-server.
#
#   sudo docs/bench.sh            a shell from which the nodes can be reached
#   sudo docs/bench.sh COMMAND…   runs one command there
#
# It writes bench.yaml, the topology of the two, into the current folder. When the
# shell ends all of it is gone, and this machine's own network was never touched.
# The nodes share this machine's kernel, programs and files: what a lab does to a
# file, it does here. /tmp and /run are each node's own.
set -euo pipefail

nodes=(cp worker)
declare -A address=([cp]=10.10.10.130 [worker]=10.10.10.131)

# node runs in the namespaces that are to be a node, until it is killed.
node() {
	hostname "$1"
	ip link set lo up
	# The other end is plugged in from outside.
	until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
	ip address add "${address[$1]}/24" dev eth0
	ip link set eth0 up
	# Else the first rule of a lab would leave tables behind.
	iptables -P INPUT ACCEPT
	# What root's shell reads when it starts is no part of a lab. Root's account may
	# be locked here, and there must not be.
	mount -t tmpfs tmpfs /run
	mount -t tmpfs -o mode=1777 tmpfs /tmp
	mount -t tmpfs -o mode=0700 tmpfs /root
	mkdir /run/bench /run/sshd
	cp /proc/1/root/run/bench/* /run/bench
	mount --bind /run/bench/shadow /etc/shadow
	exec /usr/sbin/sshd -D -e -f /run/bench/sshd_config
}

# prepare writes keys, the server's settings and bench.yaml.
prepare() {
	mount -t tmpfs tmpfs /run
	mkdir /run/bench
	ssh-keygen -q -t ed25519 -N '' -C '' -f /run/bench/host
	ssh-keygen -q -t ed25519 -N '' -C '' -f /run/bench/login
	echo 'root:*:20000:0:99999:7:::' >/run/bench/shadow
	cat >/run/bench/sshd_config <<-END
		HostKey /run/bench/host
		AuthorizedKeysFile /run/bench/login.pub
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PermitRootLogin prohibit-password
		UsePAM no
		StrictModes no
		LogLevel QUIET
		PidFile none
	END
	{
		printf 'apiVersion: labctl/v1\nkind: Topology\nname: bench\nhosts: true\nnodes:\n'
		for n in "${nodes[@]}"; do
			printf '  - {name: %s, %saddress: %s, user: root, keyFile: /run/bench/login, hostKey: "%s"}\n' \
				"$n" "$([ "$n" = cp ] || echo 'role: worker, ')" "${address[$n]}" "$(cut -d' ' -f1,2 /run/bench/host.pub)"
		done
	} >bench.yaml
}

case ${1-} in
--inside)
	shift
	prepare
	ip link set lo up
	ip link add segment type bridge
	ip address add 10.10.10.1/24 dev segment
	ip link set segment up
	for n in "${nodes[@]}"; do
		unshare --net --mount --uts bash "$0" --node "$n" &
		# A name that its network namespace has once it is another than this one.
		until [ "$(readlink "/proc/$!/ns/net")" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
		ip link add "to-$n" type veth peer name eth0 netns $!
		ip link set "to-$n" master segment up
	done
	for n in "${nodes[@]}"; do
		for _ in {1..200}; do
			if (exec 3<>"/dev/tcp/${address[$n]}/22") 2>/dev/null; then continue 2; fi
			sleep 0.05
		done
		echo "the SSH server of $n does not answer" >&2
		exit 1
	done
	if [ $# = 0 ]; then
		echo 'cp and worker are there, until this shell ends: labctl run LAB --topology bench.yaml'
		set -- "${SHELL:-bash}"
	fi
	"$@"
	;;
--node)
	node "$2"
	;;
*)
	self=$(readlink -f "$0")
	exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$self" --inside "$@"
	;;
esac

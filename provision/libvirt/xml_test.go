package libvirt_test

import (
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision"
	"labctl/provision/libvirt"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestDocuments(t *testing.T) {
	d := provision.Domain{
		Owner: "pair", Name: "pair-worker", Hostname: "worker", Fingerprint: "0123abcd",
		UUID: "2f6d1c1e-9d3b-5f0a-8a51-30f0a54e1b11", MAC: "02:00:00:00:00:02",
		Accelerator: provision.TCG, VCPUs: 1, MemoryMiB: 1800,
		Kernel: "/pool/pair/kernel", Initrd: "/pool/pair/initrd", Cmdline: `root=/dev/vda quote="<&>"`,
		Disk: "/pool/pair/worker.qcow2", Backing: "/images/base.qcow2", Seed: "/pool/pair/worker-seed.tar",
		Network: "pair",
	}
	onKVM := d
	onKVM.Accelerator = provision.KVM
	for name, make := range map[string]func() (string, error){
		"domain-tcg.xml": func() (string, error) { return libvirt.DomainXML(d) },
		"domain-kvm.xml": func() (string, error) { return libvirt.DomainXML(onKVM) },
		"network.xml": func() (string, error) {
			return libvirt.NetworkXML(provision.Network{Owner: "pair", Name: "pair", Bridge: "lab-01234567", MTU: 1500,
				CIDR: netip.MustParsePrefix("10.10.10.0/24"), Gateway: netip.MustParseAddr("10.10.10.1")})
		},
		"pool.xml": func() (string, error) { return libvirt.PoolXML("pair", "/pool") },
		"volume-overlay.xml": func() (string, error) {
			return libvirt.VolumeXML(provision.Volume{Name: "worker.qcow2", Format: "qcow2", Capacity: 10 << 30, Backing: "/images/base.qcow2"})
		},
		"volume-overlay-same-size.xml": func() (string, error) {
			return libvirt.VolumeXML(provision.Volume{Name: "worker.qcow2", Format: "qcow2", Backing: "/images/base.qcow2"})
		},
		"volume-source.xml": func() (string, error) {
			return libvirt.VolumeXML(provision.Volume{Name: "base.qcow2", Format: "qcow2", Source: "/home/base.qcow2", Shared: true})
		},
		"snapshot.xml": func() (string, error) { return libvirt.SnapshotXML("ready.20300102T030405.000006Z") },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := make()
			require.NoError(t, err)
			file := filepath.Join("testdata", name)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got+"\n"), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got+"\n")
		})
	}
}

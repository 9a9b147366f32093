package libvirt

import (
	"fmt"
	"net"

	"libvirt.org/go/libvirtxml"

	"labctl/provision"
)

// NetworkXML is the document that EnsureNetwork defines: NAT, no DHCP, no DNS,
// and no wait before the bridge forwards.
func NetworkXML(n provision.Network) (string, error) {
	element, err := mark{Owner: n.Owner, Role: "network"}.element()
	if err != nil {
		return "", fmt.Errorf("describing network %q: %w", n.Name, err)
	}
	doc := &libvirtxml.Network{
		Name:     n.Name,
		UUID:     derivedUUID(provision.KindNetwork, n.Owner, n.Name),
		Metadata: &libvirtxml.NetworkMetadata{XML: element},
		Forward:  &libvirtxml.NetworkForward{Mode: "nat"},
		Bridge:   &libvirtxml.NetworkBridge{Name: n.Bridge, STP: "off", Delay: "0"},
		DNS:      &libvirtxml.NetworkDNS{Enable: "no"},
		IPs: []libvirtxml.NetworkIP{{
			Address: n.Gateway.String(),
			Netmask: net.IP(net.CIDRMask(n.CIDR.Bits(), n.CIDR.Addr().BitLen())).String(),
		}},
	}
	if n.MTU != 0 {
		doc.MTU = &libvirtxml.NetworkMTU{Size: uint(n.MTU)}
	}
	return doc.Marshal()
}

// PoolXML is the document of the directory pool that holds an owner's volumes,
// in a directory under root.
func PoolXML(owner, root string) (string, error) {
	doc := &libvirtxml.StoragePool{
		Type: "dir",
		Name: provision.PoolName(owner),
		UUID: derivedUUID(provision.KindPool, owner, provision.PoolName(owner)),
		Target: &libvirtxml.StoragePoolTarget{
			Path: poolPath(root, owner),
			// QEMU's user must get through, and only the daemon's look around.
			Permissions: &libvirtxml.StoragePoolTargetPermissions{Mode: "0711"},
		},
	}
	return doc.Marshal()
}

// VolumeXML is the document of an empty volume or an overlay. A volume that is
// to be filled starts as a raw file of no size, whatever its content will be:
// its length then says how much has arrived.
func VolumeXML(v provision.Volume) (string, error) {
	format, capacity := v.Format, v.Capacity
	if v.Source != "" {
		format, capacity = "raw", 0
	}
	doc := &libvirtxml.StorageVolume{
		Name:     v.Name,
		Capacity: &libvirtxml.StorageVolumeSize{Unit: "bytes", Value: capacity},
		Target: &libvirtxml.StorageVolumeTarget{
			Format:      &libvirtxml.StorageVolumeTargetFormat{Type: format},
			Permissions: &libvirtxml.StorageVolumeTargetPermissions{Mode: volumeMode(v)},
		},
	}
	if v.Backing != "" && v.Source == "" {
		doc.BackingStore = &libvirtxml.StorageVolumeBackingStore{Path: v.Backing,
			Format: &libvirtxml.StorageVolumeTargetFormat{Type: "qcow2"}}
		if capacity == 0 {
			doc.Capacity = nil // that of the backing file
		}
	}
	return doc.Marshal()
}

// volumeMode lets only shared volumes be read by others: a seed holds keys.
func volumeMode(v provision.Volume) string {
	if v.Shared {
		return "0644"
	}
	return "0600"
}

// SnapshotXML is the document of one domain's part of a checkpoint.
func SnapshotXML(name string) (string, error) {
	doc := &libvirtxml.DomainSnapshot{Name: name, Description: "labctl checkpoint"}
	return doc.Marshal()
}

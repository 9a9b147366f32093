package libvirt

import (
	"fmt"
	"path"

	"libvirt.org/go/libvirtxml"

	"labctl/provision"
)

// Serial console files are volumes of the owner's pool, beside the disk: a
// volume can be read through the daemon wherever it runs.
const consoleSuffix = ".console"

// agentChannel is the name that qemu-guest-agent listens on.
const agentChannel = "org.qemu.guest_agent.0"

// DomainXML is the document that EnsureDomain defines.
//
// The network card is always PCI 01:00.0, which udev names enp1s0; the disk is
// vda and the seed vdb.
func DomainXML(d provision.Domain) (string, error) {
	element, err := mark{Owner: d.Owner, Role: "node", Fingerprint: d.Fingerprint, Hostname: d.Hostname}.element()
	if err != nil {
		return "", fmt.Errorf("describing domain %q: %w", d.Name, err)
	}
	kind, cpu := "qemu", emulatedCPU()
	if d.Accelerator == provision.KVM {
		kind, cpu = "kvm", hostCPU()
	}
	doc := &libvirtxml.Domain{
		Type:     kind,
		Name:     d.Name,
		UUID:     d.UUID,
		Title:    d.Hostname,
		Metadata: &libvirtxml.DomainMetadata{XML: element},
		Memory:   &libvirtxml.DomainMemory{Value: uint(d.MemoryMiB), Unit: "MiB"},
		VCPU:     &libvirtxml.DomainVCPU{Placement: "static", Value: uint(d.VCPUs)},
		OS: &libvirtxml.DomainOS{
			Type:   &libvirtxml.DomainOSType{Arch: "x86_64", Machine: "q35", Type: "hvm"},
			Kernel: d.Kernel, Initrd: d.Initrd, Cmdline: d.Cmdline,
		},
		Features:   &libvirtxml.DomainFeatureList{ACPI: &libvirtxml.DomainFeature{}, APIC: &libvirtxml.DomainFeatureAPIC{}},
		CPU:        cpu,
		Clock:      &libvirtxml.DomainClock{Offset: "utc"},
		OnPoweroff: "destroy",
		OnReboot:   "restart",
		OnCrash:    "destroy",
		Devices:    devices(d),
	}
	return doc.Marshal()
}

// emulatedCPU has neither AVX nor SHA extensions: emulating them is slower than
// not having them.
func emulatedCPU() *libvirtxml.DomainCPU {
	return &libvirtxml.DomainCPU{Mode: "custom", Match: "exact", Check: "none",
		Model: &libvirtxml.DomainCPUModel{Fallback: "forbid", Value: "Nehalem"}}
}

// hostCPU is migratable because a snapshot with memory is a migration to a
// file.
func hostCPU() *libvirtxml.DomainCPU {
	return &libvirtxml.DomainCPU{Mode: "host-passthrough", Check: "none", Migratable: "on"}
}

func devices(d provision.Domain) *libvirtxml.DomainDeviceList {
	port := uint(0)
	list := &libvirtxml.DomainDeviceList{
		Controllers: []libvirtxml.DomainController{
			// Each device that is not there is time saved at boot.
			{Type: "usb", Index: &port, Model: "none"},
		},
		Interfaces: []libvirtxml.DomainInterface{{
			MAC:     &libvirtxml.DomainInterfaceMAC{Address: d.MAC},
			Source:  &libvirtxml.DomainInterfaceSource{Network: &libvirtxml.DomainInterfaceSourceNetwork{Network: d.Network}},
			Model:   &libvirtxml.DomainInterfaceModel{Type: "virtio"},
			Address: pciAddress(1, 0),
		}},
		Serials: []libvirtxml.DomainSerial{{
			// Appending, or a revert, which starts QEMU anew, would lose the
			// record of the boot.
			Source: &libvirtxml.DomainChardevSource{File: &libvirtxml.DomainChardevSourceFile{Path: consolePath(d), Append: "on"}},
			Target: &libvirtxml.DomainSerialTarget{Type: "isa-serial", Port: &port},
		}},
		Channels: []libvirtxml.DomainChannel{{
			Source: &libvirtxml.DomainChardevSource{UNIX: &libvirtxml.DomainChardevSourceUNIX{}},
			Target: &libvirtxml.DomainChannelTarget{VirtIO: &libvirtxml.DomainChannelTargetVirtIO{Name: agentChannel}},
		}},
		RNGs: []libvirtxml.DomainRNG{{
			Model:   "virtio",
			Backend: &libvirtxml.DomainRNGBackend{Random: &libvirtxml.DomainRNGBackendRandom{Device: "/dev/urandom"}},
		}},
		MemBalloon: &libvirtxml.DomainMemBalloon{Model: "none"},
	}
	if d.Disk != "" {
		list.Disks = append(list.Disks, overlayDisk(d))
	}
	if d.Seed != "" {
		list.Disks = append(list.Disks, seedDisk(d))
	}
	return list
}

// overlayDisk names its backing file too: AppArmor's profile is made from this
// document, and a chain that is only found in the file is denied. Its cache is
// unsafe, because flushing a throw-away disk costs far more than it is worth: a
// power cut costs a pair, which is up again in minutes.
func overlayDisk(d provision.Domain) libvirtxml.DomainDisk {
	disk := libvirtxml.DomainDisk{
		Device: "disk",
		Driver: &libvirtxml.DomainDiskDriver{Name: "qemu", Type: "qcow2", Cache: "unsafe", Discard: "unmap"},
		Source: fileSource(d.Disk),
		Target: &libvirtxml.DomainDiskTarget{Dev: "vda", Bus: "virtio"},
	}
	end := &libvirtxml.DomainDiskBackingStore{}
	disk.BackingStore = end
	if d.Backing != "" {
		disk.BackingStore = &libvirtxml.DomainDiskBackingStore{
			Format: &libvirtxml.DomainDiskFormat{Type: "qcow2"}, Source: fileSource(d.Backing), BackingStore: end}
	}
	return disk
}

// seedDisk is read-only, so a snapshot leaves it out.
func seedDisk(d provision.Domain) libvirtxml.DomainDisk {
	return libvirtxml.DomainDisk{
		Device:       "disk",
		Snapshot:     "no",
		Driver:       &libvirtxml.DomainDiskDriver{Name: "qemu", Type: "raw"},
		Source:       fileSource(d.Seed),
		BackingStore: &libvirtxml.DomainDiskBackingStore{},
		Target:       &libvirtxml.DomainDiskTarget{Dev: "vdb", Bus: "virtio"},
		ReadOnly:     &libvirtxml.DomainDiskReadOnly{},
	}
}

func fileSource(p string) *libvirtxml.DomainDiskSource {
	return &libvirtxml.DomainDiskSource{File: &libvirtxml.DomainDiskSourceFile{File: p}}
}

func pciAddress(bus, slot uint) *libvirtxml.DomainAddress {
	domain, function := uint(0), uint(0)
	return &libvirtxml.DomainAddress{PCI: &libvirtxml.DomainAddressPCI{
		Domain: &domain, Bus: &bus, Slot: &slot, Function: &function}}
}

// consoleVolume is the name of a domain's console volume.
func consoleVolume(domain string) string { return domain + consoleSuffix }

// consolePath is where QEMU writes it: in the pool that the disk is in.
func consolePath(d provision.Domain) string {
	return path.Join(path.Dir(d.Disk), consoleVolume(d.Name))
}

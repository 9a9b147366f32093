package libvirt

import (
	"context"
	"encoding/xml"
	"fmt"

	golibvirt "github.com/digitalocean/go-libvirt"

	"labctl/provision"
)

// machineCPU is what the daemon says of the CPU of its machine: a model and what
// the CPU can do beyond it. libvirtxml has no type that can be marshalled alone.
type machineCPU struct {
	XMLName  xml.Name `xml:"cpu"`
	Arch     string   `xml:"arch,omitempty"`
	Model    string   `xml:"model"`
	Vendor   string   `xml:"vendor,omitempty"`
	Counters []struct {
		Name      string `xml:"name,attr"`
		Frequency int64  `xml:"frequency,attr"`
	} `xml:"counter"`
	Features []cpuFeature `xml:"feature"`
}

type cpuFeature struct {
	Name string `xml:"name,attr"`
	// Policy is "disable" for what the model has and the machine has not; newer
	// daemons name a model that is too rich and take from it.
	Policy string `xml:"policy,attr,omitempty"`
}

func (h *Hypervisor) machineCPU(ctx context.Context) (machineCPU, error) {
	text, err := call(ctx, h.link, "asking for the machine's CPU", (*golibvirt.Libvirt).ConnectGetCapabilities)
	if err != nil {
		return machineCPU{}, err
	}
	return parseMachineCPU(text)
}

func parseMachineCPU(capabilities string) (machineCPU, error) {
	var caps struct {
		CPU machineCPU `xml:"host>cpu"`
	}
	if err := xml.Unmarshal([]byte(capabilities), &caps); err != nil {
		return machineCPU{}, fmt.Errorf("reading the machine's CPU: %w", err)
	}
	return caps.CPU, nil
}

// tscKHz is the frequency of the time stamp counter, which libvirt learns from
// KVM; 0 if it does not know.
func (c machineCPU) tscKHz() int {
	for _, counter := range c.Counters {
		if counter.Name == "tsc" {
			return int(counter.Frequency / 1000)
		}
	}
	return 0
}

func (c machineCPU) virtualises() bool {
	var flags []string
	for _, f := range c.Features {
		if f.Policy != "disable" {
			flags = append(flags, f.Name)
		}
	}
	return provision.VirtualisationFlag(flags) != ""
}

// whyNoRemoteCPU looks for hardware virtualisation on another machine. Features
// that belong to the model are not listed; libvirt itself expands them.
func (h *Hypervisor) whyNoRemoteCPU(ctx context.Context) (string, error) {
	cpu, err := h.machineCPU(ctx)
	if err != nil || cpu.virtualises() {
		return "", err
	}
	cpu.Counters = nil // not part of what is to be expanded
	text, err := xml.Marshal(cpu)
	if err != nil {
		return "", fmt.Errorf("describing the machine's CPU: %w", err)
	}
	expanded, err := call(ctx, h.link, "expanding the machine's CPU", func(l *golibvirt.Libvirt) (string, error) {
		return l.ConnectBaselineCPU([]string{string(text)}, golibvirt.ConnectBaselineCPUExpandFeatures)
	})
	if err != nil {
		return "", err
	}
	var full machineCPU
	if err := xml.Unmarshal([]byte(expanded), &full); err != nil {
		return "", fmt.Errorf("reading the machine's CPU: %w", err)
	}
	if !full.virtualises() {
		return "libvirt offers KVM, but the machine's CPU has neither vmx nor svm", nil
	}
	return "", nil
}

package main

import (
	"fmt"

	"labctl/provision"
	"labctl/provision/libvirt"
)

// dryRun prints what up would do, from the same specs and the same plan, and
// touches nothing. Paths of volumes are known only once they exist; the names
// stand in their place.
func (a *app) dryRun(c *provision.Cluster, accel string) error {
	c.Accelerator = provision.Accelerator(accel)
	if accel == "auto" {
		// A hypervisor is not asked: a private one would have to be started first.
		c.Accelerator = provision.KVM
		why, err := libvirt.WhyNoLocalKVM()
		if err != nil {
			return err
		}
		if why != "" {
			c.Accelerator = provision.TCG
		}
	}
	p, err := provision.ProvisioningPlan(c.Topology.Provision)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "pair %q on %s, accelerator %s, image %s\n\nplan %q:\n", c.Name, c.HypervisorName, c.Accelerator, c.Image.ID, p.Name)
	group := ""
	for _, s := range p.Steps {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(a.stdout, "  %s\n", group)
		}
		fmt.Fprintf(a.stdout, "    %-22s %s\n", s.ID, s.Title)
		block(a.stdout, "      ", s.Run)
	}
	documents, err := documents(c.Specs())
	if err != nil {
		return err
	}
	for _, d := range documents {
		fmt.Fprintf(a.stdout, "\n<!-- %s %q -->\n%s\n", d.kind, d.name, d.xml)
	}
	return nil
}

type document struct {
	kind provision.Kind
	name string
	xml  string
}

// documents are what libvirt would be given, in the order of making.
func documents(s provision.Specs) ([]document, error) {
	var all []document
	add := func(kind provision.Kind, name, xml string, err error) error {
		all = append(all, document{kind, name, xml})
		return err
	}
	xml, err := libvirt.NetworkXML(s.Network)
	if err := add(provision.KindNetwork, s.Network.Name, xml, err); err != nil {
		return nil, err
	}
	xml, err = libvirt.PoolXML(s.Network.Owner, libvirt.DefaultPoolRoot)
	if err := add(provision.KindPool, provision.PoolName(s.Network.Owner), xml, err); err != nil {
		return nil, err
	}
	volumes := []provision.Volume{s.Base, s.Kernel, s.Initrd}
	for _, n := range s.Nodes {
		volumes = append(volumes, n.Overlay, n.Seed)
	}
	for _, v := range volumes {
		xml, err := libvirt.VolumeXML(v)
		if err := add(provision.KindVolume, v.Name, xml, err); err != nil {
			return nil, err
		}
	}
	for _, n := range s.Nodes {
		xml, err := libvirt.DomainXML(n.Domain)
		if err := add(provision.KindDomain, n.Domain.Name, xml, err); err != nil {
			return nil, err
		}
	}
	return all, nil
}

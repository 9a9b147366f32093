package libvirt

import (
	"context"
	"fmt"
	"strconv"

	golibvirt "github.com/digitalocean/go-libvirt"
	"libvirt.org/go/libvirtxml"

	"labctl/provision"
)

// EnsureNetwork makes the network exist and be active.
func (h *Hypervisor) EnsureNetwork(ctx context.Context, n provision.Network) error {
	if err := checkNames(n.Owner, n.Name); err != nil {
		return err
	}
	net, err := h.findNetwork(ctx, n.Name)
	if notFound(err) {
		net, err = h.defineNetwork(ctx, n)
		if raced(err) {
			// Another process was faster, or the UUID is taken: look again.
			if found, again := h.findNetwork(ctx, n.Name); again == nil {
				net, err = found, nil
			}
		}
	}
	if err != nil {
		return err
	}
	if err := h.compareNetwork(ctx, net, n); err != nil {
		return err
	}
	return h.startNetwork(ctx, net)
}

func (h *Hypervisor) findNetwork(ctx context.Context, name string) (golibvirt.Network, error) {
	return call(ctx, h.link, fmt.Sprintf("looking up network %q", name),
		func(l *golibvirt.Libvirt) (golibvirt.Network, error) { return l.NetworkLookupByName(name) })
}

func (h *Hypervisor) defineNetwork(ctx context.Context, n provision.Network) (golibvirt.Network, error) {
	doc, err := NetworkXML(n)
	if err != nil {
		return golibvirt.Network{}, err
	}
	return call(ctx, h.link, fmt.Sprintf("defining network %q", n.Name),
		func(l *golibvirt.Libvirt) (golibvirt.Network, error) {
			if h.version < sinceNetValidate {
				return l.NetworkDefineXML(doc)
			}
			return l.NetworkDefineXMLFlags(doc, uint32(golibvirt.NetworkDefineValidate))
		})
}

// networkDocument reads what libvirt holds, and whose it is.
func (h *Hypervisor) networkDocument(ctx context.Context, net golibvirt.Network) (*libvirtxml.Network, mark, error) {
	text, err := call(ctx, h.link, fmt.Sprintf("reading network %q", net.Name),
		func(l *golibvirt.Libvirt) (string, error) { return l.NetworkGetXMLDesc(net, 0) })
	if err != nil {
		return nil, mark{}, err
	}
	doc := &libvirtxml.Network{}
	if err := doc.Unmarshal(text); err != nil {
		return nil, mark{}, fmt.Errorf("reading network %q: %w", net.Name, err)
	}
	if doc.Metadata == nil {
		return doc, mark{}, nil
	}
	return doc, readMark(doc.Metadata.XML), nil
}

// compareNetwork refuses a network that is not ours or not what is wanted.
func (h *Hypervisor) compareNetwork(ctx context.Context, net golibvirt.Network, n provision.Network) error {
	have, m, err := h.networkDocument(ctx, net)
	if err != nil {
		return err
	}
	if m.Owner != n.Owner {
		return foreign(provision.KindNetwork, n.Name, m.Owner)
	}
	var want libvirtxml.Network
	text, err := NetworkXML(n)
	if err != nil {
		return err
	}
	if err := want.Unmarshal(text); err != nil {
		return fmt.Errorf("reading our own document of network %q: %w", n.Name, err)
	}
	for _, c := range []struct{ what, have, want string }{
		{"address", ipOf(have), ipOf(&want)},
		{"MTU", mtuOf(have), mtuOf(&want)},
		{"bridge", bridgeOf(have), bridgeOf(&want)},
	} {
		// Without a wish, libvirt chose a bridge name.
		if c.have != c.want && c.want != "" {
			return differs(provision.KindNetwork, n.Name, c.what, c.have, c.want)
		}
	}
	return nil
}

func ipOf(n *libvirtxml.Network) string {
	if len(n.IPs) == 0 {
		return "none"
	}
	return n.IPs[0].Address + " " + n.IPs[0].Netmask
}

func mtuOf(n *libvirtxml.Network) string {
	if n.MTU == nil {
		return ""
	}
	return strconv.Itoa(int(n.MTU.Size))
}

func bridgeOf(n *libvirtxml.Network) string {
	if n.Bridge == nil {
		return ""
	}
	return n.Bridge.Name
}

// startNetwork makes it active; a reboot of the host leaves it inactive.
func (h *Hypervisor) startNetwork(ctx context.Context, net golibvirt.Network) error {
	active, err := h.networkActive(ctx, net)
	if err != nil || active {
		return err
	}
	err = do(ctx, h.link, fmt.Sprintf("starting network %q", net.Name),
		func(l *golibvirt.Libvirt) error { return l.NetworkCreate(net) })
	if raced(err) {
		if active, again := h.networkActive(ctx, net); again == nil && active {
			return nil
		}
	}
	return err
}

func (h *Hypervisor) networkActive(ctx context.Context, net golibvirt.Network) (bool, error) {
	active, err := call(ctx, h.link, fmt.Sprintf("looking at network %q", net.Name),
		func(l *golibvirt.Libvirt) (int32, error) { return l.NetworkIsActive(net) })
	return active == 1, err
}

func (h *Hypervisor) removeNetwork(ctx context.Context, o provision.Object) error {
	net, err := h.findNetwork(ctx, o.Name)
	if err != nil {
		return gone(err)
	}
	_, m, err := h.networkDocument(ctx, net)
	if err != nil {
		return gone(err)
	}
	if m.Owner != o.Owner {
		return foreign(provision.KindNetwork, o.Name, m.Owner)
	}
	active, err := h.networkActive(ctx, net)
	if err != nil {
		return gone(err)
	}
	if active {
		err := do(ctx, h.link, fmt.Sprintf("stopping network %q", o.Name),
			func(l *golibvirt.Libvirt) error { return l.NetworkDestroy(net) })
		if err != nil && !hasCode(err, golibvirt.ErrOperationInvalid) {
			return gone(err)
		}
	}
	return gone(do(ctx, h.link, fmt.Sprintf("removing network %q", o.Name),
		func(l *golibvirt.Libvirt) error { return l.NetworkUndefine(net) }))
}

// gone is what removing something wants: that it is not there is no error.
func gone(err error) error {
	if notFound(err) {
		return nil
	}
	return err
}

package memory

import "labctl/provision"

// The world outside labctl, for tests: what others make and what happens to
// domains by themselves. None of it is an act.

// AddForeign makes a domain, network or pool that is not labctl's. A domain
// runs, a network is active.
func (h *Hypervisor) AddForeign(kind provision.Kind, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch kind {
	case provision.KindDomain:
		h.domains[name] = &domain{spec: provision.Domain{Name: name}, state: provision.Running, checkpoints: map[string]int{}}
	case provision.KindNetwork:
		h.networks[name] = &network{spec: provision.Network{Name: name}, active: true}
	case provision.KindPool:
		h.pools[name] = &pool{volumes: map[string]*volume{}}
	}
}

// SetState changes what a domain is doing.
func (h *Hypervisor) SetState(name string, s provision.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.domains[name].state = s
}

// StopNetwork makes a network inactive, as a reboot of the host does.
func (h *Hypervisor) StopNetwork(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.networks[name].active = false
}

// Cut leaves only the first bytes of the volume at a path, as an interrupted
// upload does.
func (h *Hypervisor) Cut(path string, length int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.volumeAt(path)
	v.length, v.whole = length, false
}

// Lose deletes the volume at a path, as someone does by hand.
func (h *Hypervisor) Lose(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.pools {
		for name := range p.volumes {
			if VolumePath(p.owner, name) == path {
				delete(p.volumes, name)
			}
		}
	}
}

// Print writes to a domain's serial port.
func (h *Hypervisor) Print(name, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.domains[name].console = append(h.domains[name].console, text...)
}

// Domain returns what a domain was made from.
func (h *Hypervisor) Domain(name string) (provision.Domain, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d, ok := h.domains[name]
	if !ok {
		return provision.Domain{}, false
	}
	return d.spec, true
}

package doctor

import (
	"context"
	"fmt"
)

// rights looks at who runs this and in which groups.
func rights(_ context.Context, s survey) []Finding {
	if s.UID == 0 {
		return ok("root")
	}
	var all []Finding
	for _, group := range []string{"libvirt", "kvm"} {
		if listed, effective := s.member(group); listed && !effective {
			all = append(all, note(
				fmt.Sprintf("user %s is in group %s, but this login began before that", s.User, group),
				"log out and in again, or: newgrp "+group)...)
		}
	}
	if len(all) > 0 {
		return all
	}
	if s.private() || !s.built() {
		return note(fmt.Sprintf("user %s, not root: building an image and the private hypervisor need root", s.User),
			"run labctl with sudo")
	}
	return ok(fmt.Sprintf("user %s, and a hypervisor that needs no root", s.User))
}

package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"labctl/provision/capacity"
)

// What is written where, in MiB.
const (
	// imageMiB in the image cache while an image is built: packages, programs,
	// the root file system and the disk made of it.
	imageMiB = 6 << 10
	// compileMiB in Go's own caches: compiling all that goes into an image left
	// 10 GiB there.
	compileMiB = 10 << 10
)

// place is a folder, and how much will be written below it.
type place struct {
	what, path string
	need       int
}

// space compares what will be written with what is free, for each file system.
func space(_ context.Context, s survey) []Finding {
	var order []uint64
	free := map[uint64]Free{}
	places := map[uint64][]place{}
	var all []Finding
	for _, p := range s.places() {
		f, err := s.Free(p.path)
		if err != nil {
			all = append(all, bad(fmt.Sprintf("%s: %v", p.what, err), "choose another folder with LABCTL_STATE or LABCTL_CACHE")...)
			continue
		}
		if _, seen := free[f.Device]; !seen {
			order = append(order, f.Device)
		}
		free[f.Device] = f
		places[f.Device] = append(places[f.Device], p)
	}
	for _, device := range order {
		all = append(all, judgeSpace(int(free[device].Bytes>>20), places[device])...)
	}
	return all
}

func judgeSpace(free int, places []place) []Finding {
	need := 0
	var what []string
	for _, p := range places {
		need += p.need
		line := p.what + " " + p.path
		if p.need > 0 {
			line += " (" + gib(p.need) + ")"
		}
		what = append(what, line)
	}
	text := fmt.Sprintf("%s free for %s", gib(free), strings.Join(what, ", "))
	if free < need {
		return bad(text, fmt.Sprintf("free %s there (labctl image gc), or move folders with LABCTL_STATE and LABCTL_CACHE", gib(need-free)))
	}
	return ok(text)
}

func (s survey) places() []place {
	images, compile, pair := 0, 0, 0
	if !s.built() {
		images, compile = imageMiB, compileMiB
	}
	if !s.Up {
		pair = capacity.Of(s.Topology).DiskMiB
	}
	all := []place{{"images", s.CacheDir, images}}
	if compile > 0 {
		all = append(all, place{"Go's cache", s.goCache(), compile})
	}
	switch {
	case s.private():
		all = append(all, place{"pairs", s.StateDir, pair})
	case s.shared():
		all = append(all, place{"disks", "/var/lib/libvirt/images", pair}, place{"pairs", s.StateDir, 0})
	default:
		all = append(all, place{"pairs", s.StateDir, 0})
	}
	return all
}

// goCache is where Go keeps what it compiled.
func (s survey) goCache() string {
	for _, p := range []string{s.Getenv("GOCACHE"), s.Getenv("XDG_CACHE_HOME")} {
		if filepath.IsAbs(p) {
			return p
		}
	}
	return filepath.Join(s.Getenv("HOME"), ".cache")
}

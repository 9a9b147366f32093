package private

import (
	"strconv"
	"strings"
)

// mount is one line of /proc/<pid>/mountinfo (proc(5)).
type mount struct {
	id, parent int
	point      string
	fstype     string
	source     string
}

func parseMounts(text string) []mount {
	var all []mount
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 6 || len(right) < 2 {
			continue
		}
		id, errID := strconv.Atoi(left[0])
		parent, errParent := strconv.Atoi(left[1])
		if errID != nil || errParent != nil {
			continue
		}
		all = append(all, mount{
			id: id, parent: parent, point: unescape(left[4]),
			fstype: right[0], source: unescape(right[1]),
		})
	}
	return all
}

// unescape undoes the octal escapes that the kernel uses for blanks, backslash
// and '#'.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// marks returns the directories whose namespaces a process is in, given its
// mounts: the innermost, whose it is, and all of them. A private hypervisor
// that was started inside another one carries both marks.
func marks(mounts []mount) (innermost string, all []string) {
	covered := map[int]bool{}
	for _, m := range mounts {
		if m.point == "/run" {
			covered[m.parent] = true
		}
	}
	for _, m := range mounts {
		dir, ok := strings.CutPrefix(m.source, markPrefix)
		if m.point != "/run" || m.fstype != "tmpfs" || !ok {
			continue
		}
		all = append(all, dir)
		if !covered[m.id] {
			innermost = dir
		}
	}
	return innermost, all
}

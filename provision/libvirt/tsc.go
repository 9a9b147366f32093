package libvirt

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
)

// tscKHz reads how fast this machine's time stamp counter ticks; 0 if it has
// none that can be relied on. The kernel tells it nowhere in so many words, but
// on x86 it derives the number that it prints as bogomips from it, as twice the
// MHz (arch/x86/kernel/tsc.c and cpu/proc.c).
func tscKHz(read func(string) ([]byte, error)) int {
	content, err := read("/proc/cpuinfo")
	if err != nil {
		return 0
	}
	var bogomips float64
	constant := false
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan() && (bogomips == 0 || !constant); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "flags":
			constant = strings.Contains(value+" ", " constant_tsc ")
		case "bogomips":
			bogomips, _ = strconv.ParseFloat(strings.TrimSpace(value), 64) // 0 if it is none
		}
	}
	if !constant {
		return 0
	}
	return int(math.Round(bogomips * 500))
}

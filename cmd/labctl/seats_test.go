package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// offersMemory demands that the kernel may look for equal pages in all guests of
// a pair, whether or not it does so on this machine.
func offersMemory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: offersmemory PAIR")
	}
	mergeable := regexp.MustCompile(`(?m)^VmFlags:.* mg\b`)
	guests := 0
	processes, _ := filepath.Glob("/proc/[0-9]*") // a constant pattern is good
	for _, p := range processes {
		cmdline, _ := os.ReadFile(filepath.Join(p, "cmdline")) // it may have ended
		mounts, _ := os.ReadFile(filepath.Join(p, "mountinfo"))
		ours := strings.Contains(string(mounts), ts.Getenv("LABCTL_STATE")+"/pairs/"+args[0]+"/")
		if !ours || !strings.Contains(string(cmdline), "guest="+args[0]+"-") {
			continue
		}
		guests++
		if !mergeable.MatchString(ts.ReadFile(filepath.Join(p, "smaps"))) {
			ts.Fatalf("process %s does not offer its memory", p)
		}
	}
	if guests != 2 {
		ts.Fatalf("%d guests of %s run", guests, args[0])
	}
}

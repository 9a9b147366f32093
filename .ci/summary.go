// Command summary reads `go test -json`. A package that passes shrinks to a
// line; of one that fails, the tests that failed are shown whole. The last line
// counts:
//
//	123 passed, 0 failed, 1 skipped
//
// Run it as `go test -json ./... | go run .ci/summary.go`. It exits with 1 if
// something failed or nothing was run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is what `go doc test2json` says, as far as it matters here.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// test names a test, or with an empty name the package itself.
type test struct{ pkg, name string }

type summary struct {
	output map[test]string
	// order of the tests that have output and are not over.
	order                   []test
	passed, failed, skipped int
	// failures of the package at hand, by package.
	failures map[string]int
}

func main() {
	s := summary{output: map[test]string{}, failures: map[string]int{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) == nil {
			s.add(e)
		} else {
			fmt.Print(line) // not from a test: what go itself says
		}
		if err != nil {
			break
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	if s.failed > 0 || s.passed == 0 {
		os.Exit(1)
	}
}

func (s *summary) add(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		if !strings.HasPrefix(strings.TrimSpace(e.Output), "=== ") {
			if s.output[t] == "" {
				s.order = append(s.order, t)
			}
			s.output[t] += e.Output
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.packageOver(e)
		} else {
			s.testOver(e.Action, t)
		}
	}
}

func (s *summary) testOver(action string, t test) {
	switch action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
		fmt.Print(s.output[t])
	case "fail":
		s.failed++
		s.failures[t.pkg]++
		fmt.Print(s.output[t])
	}
	delete(s.output, t)
}

func (s *summary) packageOver(e event) {
	// A package that does not compile, or that panics, has no test that failed.
	if e.Action == "fail" && s.failures[e.Package] == 0 {
		s.failed++
	}
	var rest []test
	for _, t := range s.order {
		switch {
		case t.pkg != e.Package:
			rest = append(rest, t)
		case e.Action == "fail":
			// With those of tests that were cut off.
			fmt.Print(s.output[t])
		}
		if t.pkg == e.Package {
			delete(s.output, t)
		}
	}
	s.order = rest
	if e.Action == "pass" {
		fmt.Printf("ok   %s (%.1f s)\n", e.Package, e.Elapsed)
	}
}

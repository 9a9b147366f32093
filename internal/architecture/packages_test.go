package architecture

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// essential packages are on every Debian machine; nobody needs to install them.
var essential = []string{"apt", "dpkg", "tar", "util-linux"}

// TestPackages compares what labctl tells people to install with what the
// Makefile installs: each machine that `make deps` has prepared must have it.
func TestPackages(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?m)^PACKAGES := ((?:.*\\\n)*.*)`).FindSubmatch(makefile)
	require.NotNil(t, list, "the Makefile has PACKAGES")
	installed := append(strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " ")), essential...)

	named := map[string][]string{}
	// An entry of a table of programs: {"dnsmasq", "dnsmasq-base"}.
	entry := regexp.MustCompile(`(?m)^\t*\{[\w."/-]+, "([a-z0-9.+-]+)"\},$`)
	for _, path := range []string{"provision/doctor/programs.go", "provision/private/preflight.go"} {
		content, err := os.ReadFile("../../" + path)
		require.NoError(t, err)
		for _, m := range entry.FindAllSubmatch(content, -1) {
			named[path] = append(named[path], string(m[1]))
		}
		require.Greater(t, len(named[path]), 5, "%s has a table of programs and their packages", path)
	}
	hint := regexp.MustCompile(`apt-get install ([a-z0-9.+ -]+)"`)
	for _, path := range []string{"provision/image/errors.go", "provision/doctor/accelerator.go"} {
		content, err := os.ReadFile("../../" + path)
		require.NoError(t, err)
		for _, m := range hint.FindAllSubmatch(content, -1) {
			named[path] = append(named[path], strings.Fields(string(m[1]))...)
		}
		require.NotEmpty(t, named[path], "%s tells people what to install", path)
	}
	for path, packages := range named {
		for _, p := range packages {
			assert.Contains(t, installed, p, "%s names a package that the Makefile does not install", path)
		}
	}
}

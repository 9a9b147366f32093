package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"labctl/provision/image"
	"labctl/topology"
)

// nightly are the files that run labctl while nobody looks, each with the
// commands that it must have.
var nightly = map[string][]string{
	"../../.github/workflows/nightly.yml":    {"doctor", "down", "history", "image build", "logs", "run", "up", "version"},
	"../../packaging/cronjob.yaml":           {"down", "history", "image build", "logs", "run", "up"},
	"../../packaging/labctl-nightly.service": {"down", "history", "image build", "logs", "run", "up"},
}

// What they say to labctl is what it understands: each command line is read by
// the commands themselves.
func TestNightlyCommands(t *testing.T) {
	t.Parallel()
	for file, want := range nightly {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, line := range labctlLines(string(content)) {
			cmd, err := understand(line)
			assert.NoError(t, err, "%s: labctl %s", file, strings.Join(line, " "))
			if cmd != nil {
				seen[strings.TrimPrefix(cmd.CommandPath(), "labctl ")] = true
			}
		}
		for _, command := range want {
			assert.True(t, seen[command], "%s has `labctl %s`", file, command)
		}
	}
}

// A slip in one of them is found: a test that finds nothing is worse than none.
func TestNightlySlips(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"run: sudo -HE env bin/labctl image bild --kernel 6.1":  "unknown",
		"ExecStart=/usr/bin/labctl up pair --nam nightly":       "unknown flag: --nam",
		"labctl up --name nightly || code=$?":                   "takes 1 arguments",
		"  labctl run --all --report":                           "flag needs an argument",
		`bin/labctl up pair --kernel 4.4 && true`:               "kernel 4.4",
		`  id=$(bin/labctl image build --kubernetes v1.2.3 -x)`: "unknown shorthand",
		`bin/labctl up pear --name nightly`:                     `no topology "pear"`,
	} {
		lines := labctlLines(line)
		require.Len(t, lines, 1, line)
		_, err := understand(lines[0])
		assert.ErrorContains(t, err, want, line)
	}
	assert.Empty(t, labctlLines("# labctl is not run here\nimage: labctl:nightly\nEnvironment=LABCTL_STATE=%S/labctl LABCTL_CACHE=%C/labctl"))
	assert.Equal(t, [][]string{{"logs", "--name", "nightly"}}, labctlLines(`ExecStopPost=-/bin/sh -c 'test "$SERVICE_RESULT" = success || exec labctl logs --name nightly'`))
}

// They run all that can be built, once each.
func TestNightlyMatrix(t *testing.T) {
	t.Parallel()
	var want []string
	for _, v := range image.Variants() {
		if v.Recipe == image.Pair {
			want = append(want, "--kubernetes "+v.Kubernetes+" --kernel "+v.Kernel)
		}
	}
	workflow, err := os.ReadFile("../../.github/workflows/nightly.yml")
	require.NoError(t, err)
	var w struct {
		Jobs struct {
			Labs struct {
				Strategy struct {
					Matrix struct{ Kubernetes, Kernel []string }
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(workflow, &w))
	var matrix []string
	for _, kubernetes := range w.Jobs.Labs.Strategy.Matrix.Kubernetes {
		for _, kernel := range w.Jobs.Labs.Strategy.Matrix.Kernel {
			matrix = append(matrix, "--kubernetes "+kubernetes+" --kernel "+kernel)
		}
	}
	assert.ElementsMatch(t, want, matrix)

	manifest, err := os.ReadFile("../../packaging/cronjob.yaml")
	require.NoError(t, err)
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^ +"(--kubernetes .*)"$`).FindAllSubmatch(manifest, -1) {
		listed = append(listed, string(m[1]))
	}
	assert.ElementsMatch(t, want, listed)
	assert.Contains(t, string(manifest), fmt.Sprintf("completions: %d\n", len(want)))

	// The unit has one variant, and names another as an example.
	unit, err := os.ReadFile("../../packaging/labctl-nightly.service")
	require.NoError(t, err)
	example := regexp.MustCompile(`LABCTL_VARIANT=(--.*)`).FindSubmatch(unit)
	require.NotNil(t, example)
	assert.Contains(t, want, string(example[1]))
}

// labctlLines are the arguments of each command line that runs labctl, up to
// where the shell takes over. What the file fills in later stands for a default.
func labctlLines(text string) [][]string {
	placeholder := regexp.MustCompile(`\$\{\{ *matrix\.(\w+) *\}\}`)
	variant := regexp.MustCompile(`\$LABCTL_VARIANT|"\$\{variant\[@\]\}"`)
	start := regexp.MustCompile(`(?:^|[\s=(!;'/])labctl ((?:[a-z]|--).*)`)
	end := regexp.MustCompile(`\s*(?:\|\||&&|[|;>)']|\s#).*`)
	plain := image.Variants()[0]
	var all [][]string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") || strings.HasPrefix(strings.TrimSpace(line), "- name: ") {
			continue
		}
		m := start.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.Contains(line, "Description=") {
			continue
		}
		args := placeholder.ReplaceAllStringFunc(m[1], func(p string) string {
			if strings.Contains(p, "kernel") {
				return plain.Kernel
			}
			return plain.Kubernetes
		})
		args = variant.ReplaceAllString(args, "--kubernetes "+plain.Kubernetes+" --kernel "+plain.Kernel)
		all = append(all, strings.Fields(strings.ReplaceAll(end.ReplaceAllString(args, ""), `"`, "")))
	}
	return all
}

// understand reads a command line as labctl would, and runs nothing.
func understand(args []string) (*cobra.Command, error) {
	a := &app{getenv: func(string) string { return "" }}
	cmd, rest, err := a.root().Find(args)
	if err != nil {
		return nil, err
	}
	if !cmd.Runnable() {
		return nil, fmt.Errorf("unknown command: %v", args)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return cmd, err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return cmd, err
	}
	if cmd.Name() == "up" {
		if _, err := topology.Open(cmd.Flags().Arg(0)); err != nil {
			return cmd, err
		}
	}
	return cmd, knownVariant(cmd.Flags())
}

// knownVariant says whether the flags that choose an image choose one that can
// be built.
func knownVariant(flags *pflag.FlagSet) error {
	if flags.Lookup("kubernetes") == nil && flags.Lookup("kernel") == nil {
		return nil
	}
	var v image.Variant
	for name, field := range map[string]*string{"kubernetes": &v.Kubernetes, "kernel": &v.Kernel} {
		if f := flags.Lookup(name); f != nil {
			*field = f.Value.String()
		}
	}
	store, err := image.Open(os.DevNull)
	if err == nil {
		_, err = store.ID(v)
	}
	return err
}

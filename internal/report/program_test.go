package report_test

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pipe sends input through a real program, which must exit with 0, and returns
// its standard output. The Makefile installs these programs: without one of them
// the test fails, and does not pretend.
func pipe(t *testing.T, input []byte, name string, args ...string) string {
	t.Helper()
	out, err := try(t, input, name, args...)
	require.NoError(t, err)
	return out
}

func try(t *testing.T, input []byte, name string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "make test-deps installs it")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err != nil {
		t.Logf("%s: %.2000s", name, stderr.String())
	}
	return stdout.String(), err
}

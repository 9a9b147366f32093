package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/doctor"
)

// doctorApp has folders of its own, which do not exist.
func doctorApp(t *testing.T) (*app, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	var out, talk bytes.Buffer
	return &app{stdout: &out, stderr: &talk, getenv: func(key string) string {
		switch key {
		case "HOME":
			return home
		case "PATH":
			return os.Getenv("PATH")
		}
		return ""
	}}, &out, &talk
}

// The exit code says what the findings say, whatever machine this is.
func TestDoctorExitCode(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at this machine: run without -short, as root, as `make test` does")
	}
	a, out, talk := doctorApp(t)
	code := a.run(t.Context(), []string{"doctor", "-o", "json", "--hypervisor", "private"})
	var found []doctor.Finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &found), "%s", out)
	assert.Empty(t, talk.String())
	want := exitOK
	if doctor.Worst(found) == doctor.Bad {
		want = exitFailed
	}
	assert.Equal(t, want, code)
	for _, f := range found {
		if f.Check == "names" {
			assert.Contains(t, f.Text, "bridge lab-", "the bridge is the one that up would make")
		}
	}
	left, err := os.ReadDir(a.getenv("HOME"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A machine that lacks something is told by exit code 1 and on standard output.
func TestDoctorBad(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at this machine: run without -short, as root, as `make test` does")
	}
	a, out, talk := doctorApp(t)
	socket := filepath.Join(t.TempDir(), "none")
	assert.Equal(t, exitFailed, a.run(t.Context(), []string{"doctor", "--hypervisor", "qemu:///system?socket=" + socket}))
	assert.Contains(t, out.String(), "bad   hypervisor")
	assert.Contains(t, out.String(), "fix: ")
	assert.Empty(t, talk.String())
}

func TestDoctorUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"doctor", "-o", "xml"},
		{"doctor", "--hypervisor", "virtualbox"},
		{"doctor", "--name", "No Name"},
		{"doctor", "--no-such-flag"},
	} {
		a, out, talk := doctorApp(t)
		assert.Equal(t, exitUsage, a.run(t.Context(), args), "%v: %s", args, talk)
		assert.Empty(t, out.String())
		assert.Contains(t, talk.String(), "hint: ")
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	stamped := debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v0.2.1"}, Settings: []debug.BuildSetting{
		{Key: "-tags", Value: "minimal"},
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-30T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	clean := stamped
	clean.Settings = stamped.Settings[:3]
	for _, c := range []struct {
		name                  string
		info                  debug.BuildInfo
		version, commit, tags string
	}{
		{"modified", stamped, "v0.2.1", "0123456789abcdef0123456789abcdef01234567 of 2026-11-30T03:04:05Z, with changes", "minimal"},
		{"clean", clean, "v0.2.1", "0123456789abcdef0123456789abcdef01234567 of 2026-11-30T03:04:05Z", "minimal"},
		{"not stamped", debug.BuildInfo{GoVersion: "go1.26.8"}, "(devel)", "not known: built without looking at the checkout", ""},
	} {
		v := versionOf(c.info)
		assert.Equal(t, c.version, v.Version, c.name)
		assert.Equal(t, c.commit, v.commitLine(), c.name)
		assert.Equal(t, c.tags, v.Tags, c.name)
		assert.Equal(t, "go1.26.8", v.Go, c.name)
	}
	assert.Equal(t, time.Date(2026, 11, 30, 3, 4, 5, 0, time.UTC), *versionOf(stamped).Date)
}

func TestVersionForPrograms(t *testing.T) {
	t.Parallel()
	var out, talk bytes.Buffer
	a := &app{stdout: &out, stderr: &talk, getenv: func(string) string { return "" }}
	require.Equal(t, exitOK, a.run(t.Context(), []string{"version", "-o", "json"}), "%s", talk.String())
	var v map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &v))
	for _, key := range []string{"version", "modified", "go", "platform", "imageLock"} {
		assert.Contains(t, v, key)
	}
	lock := v["imageLock"].(map[string]any)
	for _, key := range []string{"sha256", "date", "go", "packages", "kubernetes", "kernels", "images"} {
		assert.NotEmpty(t, lock[key], key)
	}
}

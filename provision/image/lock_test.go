package image

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLockReadsWhatItWrites(t *testing.T) {
	lock, err := ParseLock(fakeLock().String())
	require.NoError(t, err)
	assert.Equal(t, fakeLock(), lock)
	assert.Len(t, lock.Set("pair").Packages, 1)
}

func TestTheEmbeddedLockIsInItsOwnForm(t *testing.T) {
	text, err := sources.ReadFile("image.lock")
	require.NoError(t, err)
	lock, err := ParseLock(string(text))
	require.NoError(t, err)
	assert.Equal(t, string(text), lock.String())
	for _, v := range Variants() {
		for _, set := range packageSets(v) {
			assert.NotEmpty(t, lock.Set(set).Packages, "%s: %s", v, set)
		}
	}
}

func TestParseLockTellsTheLine(t *testing.T) {
	good := fakeLock().String()
	for _, c := range []struct{ name, text, message string }{
		{"a hash too short", strings.Replace(good, digest("pair"), "12ab", 1), `image.lock:8: not a SHA-256`},
		{"a hash in capitals", strings.Replace(good, digest("pair"), strings.Repeat("A", 64), 1), `image.lock:8: not a SHA-256`},
		{"two pins", good + "pair p 2 amd64 " + digest("x") + " pool/p.deb\n", `image.lock:10: a second pin`},
		{"a stray word", good + "hello\n", `image.lock:10: neither a toolchain`},
		{"a bad epoch", strings.Replace(good, "epoch 1000", "epoch soon", 1), `image.lock:4: the epoch is no time`},
		{"no toolchain", strings.Replace(good, "go go1.26.8\n", "", 1), "lacks the go or the epoch line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseLock(c.text)
			require.ErrorContains(t, err, c.message)
		})
	}
}

func TestLockChanges(t *testing.T) {
	next := fakeLock()
	next.Packages[0].Version = "2"
	next.Packages[1].SHA256 = digest("other")
	next.Packages[3].Name = "q"
	var lines []string
	for _, c := range fakeLock().Changes(next) {
		lines = append(lines, c.String())
	}
	assert.Equal(t, []string{
		"kernel-5.10: p 1 -> 2",
		"kernel-6.1: p 1 has other content",
		"pair: p 1 is gone",
		"pair: q 1 is new",
	}, lines)
	assert.Empty(t, fakeLock().Changes(fakeLock()))
}

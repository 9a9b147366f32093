package image

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func id(t *testing.T, files fstest.MapFS, lock Lock, v Variant) string {
	t.Helper()
	v, err := v.complete()
	require.NoError(t, err)
	id, err := identity(files, lock, v)
	require.NoError(t, err)
	return id
}

func TestIdentityFollowsTheInputs(t *testing.T) {
	pair, small := Variant{}, Variant{Recipe: Small}
	base := id(t, fakeInputs(), fakeLock(), pair)
	smallBase := id(t, fakeInputs(), fakeLock(), small)
	assert.Equal(t, base, id(t, fakeInputs(), fakeLock(), Variant{Pair, "1.37.2", "6.12"}), "defaults spelt out")
	assert.Regexp(t, `^pair-[0-9a-f]{16}$`, base)

	for _, c := range []struct {
		name        string
		change      func(fstest.MapFS, *Lock)
		pair, small bool
	}{
		{"a module's sums", func(f fstest.MapFS, _ *Lock) { f["modules/etcd.sum"].Data = []byte("x") }, true, false},
		{"another release's module", func(f fstest.MapFS, _ *Lock) { f["modules/kubernetes-1.36.mod"].Data = []byte("x") }, false, false},
		{"a file of the recipe", func(f fstest.MapFS, _ *Lock) { f["recipe/pair/packages"].Data = []byte("x") }, true, false},
		{"a file's name", func(f fstest.MapFS, _ *Lock) { f["recipe/pair/more"] = &fstest.MapFile{} }, true, false},
		{"a file of both recipes", func(f fstest.MapFS, _ *Lock) { f["recipe/common/rootfs/a"].Data = []byte("x") }, true, true},
		{"a guest program", func(f fstest.MapFS, _ *Lock) { f["guest/init/main.go"].Data = []byte("x") }, true, true},
		{"a guest program's test", func(f fstest.MapFS, _ *Lock) { f["guest/init/main_test.go"] = &fstest.MapFile{Data: []byte("x")} }, false, false},
		{"the toolchain", func(_ fstest.MapFS, l *Lock) { l.Go = "go1.99" }, true, true},
		{"the epoch", func(_ fstest.MapFS, l *Lock) { l.Epoch++ }, true, true},
		{"the kernel", func(_ fstest.MapFS, l *Lock) { l.Packages[2].SHA256 = digest("x") }, true, true},
		{"another kernel", func(_ fstest.MapFS, l *Lock) { l.Packages[0].SHA256 = digest("x") }, false, false},
		{"a package of pair", func(_ fstest.MapFS, l *Lock) { l.Packages[3].Version = "2" }, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, lock := fakeInputs(), fakeLock()
			c.change(files, &lock)
			assert.Equal(t, c.pair, base != id(t, files, lock, pair), "pair")
			assert.Equal(t, c.small, smallBase != id(t, files, lock, small), "small")
		})
	}
}

func TestEveryVariantHasItsOwnIdentity(t *testing.T) {
	seen := map[string]Variant{}
	for _, v := range Variants() {
		id := id(t, fakeInputs(), fakeLock(), v)
		assert.NotContains(t, seen, id, "%s", v)
		seen[id] = v
	}
	assert.Len(t, seen, 9)
}

func TestEmbeddedInputsAreWhole(t *testing.T) {
	store, err := Open(t.TempDir())
	require.NoError(t, err)
	for _, v := range Variants() {
		_, err := store.ID(v)
		require.NoError(t, err, "%s", v)
	}
}

package image

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision"
)

// fakeInputs are the embedded files of a builder that compiles nothing.
func fakeInputs() fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range []string{"guest/init/main.go", "recipe/common/rootfs/a", "recipe/pair/packages", "recipe/small/packages"} {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	for _, v := range Variants() {
		if v.Recipe == Pair {
			for _, m := range moduleSets(v) {
				files["modules/"+m.name+".mod"] = &fstest.MapFile{Data: []byte(m.name)}
				files["modules/"+m.name+".sum"] = &fstest.MapFile{Data: []byte(m.name)}
			}
		}
	}
	return files
}

func fakeLock() Lock {
	lock := Lock{Go: "go1.26.8", Epoch: 1000}
	for _, set := range []string{"kernel-5.10", "kernel-6.1", "kernel-6.12", "pair", "small"} {
		lock.Packages = append(lock.Packages, Package{set, "p", "1", "amd64", digest(set), "pool/p.deb"})
	}
	return lock
}

// fakeStore builds images that are four small files.
func fakeStore(t *testing.T) *Store {
	t.Helper()
	store, err := open(t.TempDir(), fakeInputs(), fakeLock())
	require.NoError(t, err)
	store.assemble = fakeAssemble
	return store
}

func fakeAssemble(_ context.Context, _ *Store, id string, v Variant, dir string, _ func(string)) error {
	for _, name := range []string{diskFile, kernelFile, initrdFile, manifestFile} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			return err
		}
	}
	return describe(dir, Image{ID: id, Variant: v})
}

func quiet(string) {}

func nobody(string) []string { return nil }

func TestFindTellsHowToBuild(t *testing.T) {
	store := fakeStore(t)
	for _, c := range []struct {
		variant Variant
		hint    string
	}{
		{Variant{}, "labctl image build"},
		{Variant{Kernel: "5.10"}, "labctl image build --kernel 5.10"},
		{Variant{Recipe: Small}, "labctl image build --recipe small"},
		{Variant{Kubernetes: "1.36.3"}, "labctl image build --kubernetes v1.36.3"},
	} {
		_, err := store.Find(c.variant)
		require.ErrorIs(t, err, provision.ErrNotFound)
		var missing *NotBuiltError
		require.ErrorAs(t, err, &missing)
		assert.Equal(t, c.hint, missing.Hint())
	}
}

func TestUnknownVariantNamesTheKnown(t *testing.T) {
	_, err := fakeStore(t).Find(Variant{Kernel: "4.19"})
	require.ErrorContains(t, err, `no recipe for "pair, Kubernetes v1.37.2, kernel 4.19"`)
	var unknown *VariantError
	require.ErrorAs(t, err, &unknown)
	assert.Contains(t, unknown.Hint(), "small, kernel 5.10")
}

func TestBuildThenFindListVerify(t *testing.T) {
	store := fakeStore(t)
	built, err := store.Build(t.Context(), Variant{Recipe: Small}, quiet)
	require.NoError(t, err)
	found, err := store.Find(Variant{Recipe: Small})
	require.NoError(t, err)
	assert.Equal(t, built, found)
	assert.Equal(t, filepath.Join(store.dir, "images", built.ID, "disk.qcow2"), built.Disk)
	all, err := store.List()
	require.NoError(t, err)
	assert.Equal(t, []Image{built}, all)
	require.NoError(t, store.Verify(t.Context(), built))

	require.NoError(t, os.WriteFile(built.Kernel, []byte("x"), 0o644))
	require.NoError(t, os.Remove(built.Initrd))
	err = store.Verify(t.Context(), built)
	require.ErrorIs(t, err, errDamaged)
	require.ErrorContains(t, err, kernelFile)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NotContains(t, err.Error(), diskFile)
}

func TestInterruptedBuildLeavesNoImage(t *testing.T) {
	store := fakeStore(t)
	store.assemble = func(ctx context.Context, s *Store, id string, v Variant, dir string, say func(string)) error {
		// Everything is there, and then something goes wrong.
		return errors.Join(fakeAssemble(ctx, s, id, v, dir, say), errors.New("power cut"))
	}
	_, err := store.Build(t.Context(), Variant{}, quiet)
	require.ErrorContains(t, err, "power cut")
	all, err := store.List()
	require.NoError(t, err)
	assert.Empty(t, all)
	left, err := os.ReadDir(filepath.Join(store.dir, "tmp"))
	require.NoError(t, err)
	assert.Empty(t, left)

	store.assemble = fakeAssemble
	_, err = store.Build(t.Context(), Variant{}, quiet)
	require.NoError(t, err)
}

func TestConcurrentBuildsMakeOneImage(t *testing.T) {
	store := fakeStore(t)
	started, finish := make(chan struct{}), make(chan struct{})
	builds := 0
	store.assemble = func(ctx context.Context, s *Store, id string, v Variant, dir string, say func(string)) error {
		builds++
		close(started)
		<-finish
		return fakeAssemble(ctx, s, id, v, dir, say)
	}
	// Another process has a Store of its own.
	other := *store
	var group sync.WaitGroup
	var first, second Image
	var firstErr, secondErr error
	group.Go(func() { first, firstErr = store.Build(t.Context(), Variant{}, quiet) })
	<-started
	waits := make(chan string, 1)
	group.Go(func() {
		second, secondErr = other.Build(t.Context(), Variant{}, func(text string) { waits <- text })
	})
	select {
	case text := <-waits:
		assert.Contains(t, text, "waiting for another build of pair-")
	case <-time.After(10 * time.Second):
		t.Error("the second build does not say that it waits")
	}
	close(finish)
	group.Wait()
	require.NoError(t, firstErr)
	require.NoError(t, secondErr)
	assert.Equal(t, first, second)
	assert.Equal(t, 1, builds)
}

func TestWaitingForABuildEndsWithTheContext(t *testing.T) {
	store := fakeStore(t)
	release, err := store.hold(t.Context(), "x", quiet)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = store.hold(ctx, "x", func(string) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	release()
	release, err = store.hold(t.Context(), "x", quiet)
	require.NoError(t, err)
	release()
}

func TestStepIsMadeOnce(t *testing.T) {
	store := fakeStore(t)
	made := 0
	for range 2 {
		path, err := store.step(t.Context(), "thing", digest("a"), quiet, func(dir string) error {
			made++
			return os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644)
		})
		require.NoError(t, err)
		assert.FileExists(t, filepath.Join(path, "f"))
	}
	assert.Equal(t, 1, made)
	_, err := store.step(t.Context(), "thing", digest("b"), quiet, func(string) error { return errors.New("no") })
	require.Error(t, err)
	assert.NoDirExists(t, filepath.Join(store.dir, "steps", stepName("thing", digest("b"))))
}

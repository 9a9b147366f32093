package doctor

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/provision/image"
)

func unbuilt(m *Machine) {
	m.Image = func() (image.Image, error) {
		return image.Image{}, &image.NotBuiltError{Variant: image.Variants()[0], ID: "pair-0123"}
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	dir := "/cache/images/pair-0123"
	again := " -> labctl down the pairs on it, then: rm -r " + dir + " && labctl image build"
	whole := "pair-0123: pair, Kubernetes " + image.DefaultKubernetes() + ", kernel 6.12"
	play(t, "image", []scene{
		{"there", nil, []string{"ok: " + whole + " (checksums with --deep)"}},
		{"not built", func(_ *testing.T, m *Machine) { unbuilt(m) },
			[]string{"note: pair, Kubernetes " + image.DefaultKubernetes() + ", kernel 6.12 is not built yet -> labctl image build"}},
		{"an image of that name cannot be had", func(_ *testing.T, m *Machine) {
			m.Image = func() (image.Image, error) { return image.Image{}, errors.New("choosing an image: no recipe") }
		}, []string{"bad: choosing an image: no recipe -> labctl image build"}},
		{"kernel gone", func(t *testing.T, m *Machine) { remove(t, *m, dir+"/vmlinuz") },
			[]string{`bad: image pair-0123: opening "` + dir + `/vmlinuz": no such file or directory` + again}},
		{"initrd empty", func(t *testing.T, m *Machine) { write(t, *m, dir+"/initrd.img", "") },
			[]string{`bad: image pair-0123: reading "` + dir + `/initrd.img": it is cut short` + again}},
		{"disk of another kind", func(t *testing.T, m *Machine) { write(t, *m, dir+"/disk.qcow2", "VMDK...") },
			[]string{`bad: image pair-0123: reading "` + dir + `/disk.qcow2": it is no qcow2 file` + again}},
		{"closed to guests", func(t *testing.T, m *Machine) { require.NoError(t, os.Chmod(m.path(dir+"/disk.qcow2"), 0o600)) },
			[]string{`bad: image pair-0123: reading "` + dir + `/disk.qcow2": guests' user may not -> chmod a+r ` + dir + `/disk.qcow2`}},
		{"deep", func(_ *testing.T, m *Machine) { m.Deep = true }, []string{"ok: " + whole + ", checksums as built"}},
		{"deep, damaged", func(_ *testing.T, m *Machine) {
			m.Deep = true
			m.Verify = func(context.Context, image.Image) error {
				return errors.Join(errors.New("disk differs"), errors.New("kernel too"))
			}
		}, []string{"bad: disk differs; kernel too" + again}},
	})
}

// Reading a whole image takes longer than all other checks may.
func TestDeepHasTimeOfItsOwn(t *testing.T) {
	t.Parallel()
	m := fit(t)
	m.Deep = true
	m.Verify = func(ctx context.Context, _ image.Image) error {
		if _, limited := ctx.Deadline(); limited {
			return errors.New("verifying under a time limit")
		}
		return nil
	}
	for _, f := range Examine(context.Background(), m) {
		assert.Equal(t, OK, f.Level, "%+v", f)
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	get := " -> install Go 1.26.8 or newer: https://go.dev/doc/install"
	version := func(v string) func(*testing.T, *Machine) {
		return func(_ *testing.T, m *Machine) {
			unbuilt(m)
			m.Run = runner{"/opt/go/bin/go version": "go version " + v + " linux/amd64"}.on(m.Root)
		}
	}
	play(t, "go", []scene{
		{"the pinned one", nil, []string{"ok: 1.26.8"}},
		{"another, which fetches it", version("go1.22.1"), []string{"ok: 1.22.1; it fetches 1.26.8 for images by itself"}},
		{"another, which may not", func(t *testing.T, m *Machine) {
			version("go1.26.1")(t, m)
			before := m.Getenv
			m.Getenv = func(key string) string {
				if key == "GOTOOLCHAIN" {
					return "local"
				}
				return before(key)
			}
		}, []string{"bad: 1.26.1, images need 1.26.8, and GOTOOLCHAIN=local forbids fetching it -> unset GOTOOLCHAIN"}},
		{"too old", version("go1.19.8"), []string{"bad: 1.19.8 is too old to fetch 1.26.8 by itself" + get}},
		{"broken", version("what"), []string{"bad: /opt/go/bin/go does not tell its version" + get}},
		{"none, and an image to build", func(t *testing.T, m *Machine) { unbuilt(m); remove(t, *m, "/opt/go/bin/go") },
			[]string{"bad: not in PATH; building an image needs 1.26.8" + get}},
		{"none, and none needed", func(t *testing.T, m *Machine) { remove(t, *m, "/opt/go/bin/go") },
			[]string{"note: not in PATH; building an image needs 1.26.8" + get}},
	})
}

func TestClock(t *testing.T) {
	t.Parallel()
	play(t, "clock", []scene{
		{"right", nil, []string{"ok: 2033-05-18 03:33:20 UTC"}},
		{"reset by an empty battery", func(_ *testing.T, m *Machine) { m.Now = func() time.Time { return time.Unix(60, 0) } },
			[]string{"bad: it says 1970-01-01 00:01:00, before the image's packages were pinned (2030-03-17 17:46:40) -> set it: timedatectl set-ntp true"}},
	})
}

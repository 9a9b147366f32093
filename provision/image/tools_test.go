package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeRoot is a root file system in which a tool, its library, and a package
// that only serves to install them are installed.
func fakeRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, write(root, map[string]string{
		"var/lib/dpkg/status": "Package: iptables\nPre-Depends: libx (>= 1), debconf | x\nDepends: netbase, gone\n\n" +
			"Package: libx\nDepends: iptables\n\nPackage: netbase\n\nPackage: debconf\n\nPackage: other\n",
		"var/lib/dpkg/info/iptables.list":   "/.\n/usr\n/sbin\n/sbin/iptables-nft\n/usr/share/doc/iptables/copyright\n/usr/share/man/gone\n",
		"var/lib/dpkg/info/libx:amd64.list": "/.\n/usr\n/lib\n/lib/libx.so\n",
		"var/lib/dpkg/info/netbase.list":    "/.\n/etc\n/etc/services\n",
		"usr/sbin/iptables-nft":             "program",
		"usr/lib/libx.so":                   "library",
		"usr/bin/other":                     "",
		"usr/share/doc/iptables/copyright":  "",
		"etc/services":                      "",
		"etc/alternatives/README":           "",
	}))
	require.NoError(t, link(root, map[string]string{
		"sbin": "usr/sbin", "lib": "usr/lib", "bin": "usr/bin", "lib64": "usr/lib64",
		"usr/sbin/iptables": "/etc/alternatives/iptables", "etc/alternatives/iptables": "/usr/sbin/iptables-nft",
		"usr/sbin/editor": "/etc/alternatives/editor", "etc/alternatives/editor": "/usr/bin/other",
	}))
	return root
}

func TestToolsAreWhatPackagesAndTheirDependenciesHold(t *testing.T) {
	paths, err := packageFiles(fakeRoot(t), []string{"iptables"})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"bin", "etc", "etc/alternatives", "etc/alternatives/iptables", "etc/services", "lib", "lib64", "sbin",
		"usr", "usr/lib", "usr/lib/libx.so", "usr/sbin", "usr/sbin/iptables", "usr/sbin/iptables-nft",
	}, paths)
}

func TestToolThatIsNotInstalledIsNamed(t *testing.T) {
	_, err := packageFiles(fakeRoot(t), []string{"conntrack"})
	require.ErrorContains(t, err, `package "conntrack" is not installed`)
}

func TestLayerIsTheSameWheneverItIsMade(t *testing.T) {
	programs := map[string][]byte{"usr/local/bin/b": []byte("b"), "a": []byte("a")}
	layer := layerTar(1000, programs)
	assert.Equal(t, layer, layerTar(1000, programs))
	var names []string
	for archive := tar.NewReader(bytes.NewReader(layer)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		assert.Equal(t, int64(1000), header.ModTime.Unix())
		names = append(names, header.Name)
	}
	assert.Equal(t, []string{"tmp/", "a", "usr/", "usr/local/", "usr/local/bin/", "usr/local/bin/b"}, names)
}

func TestRecipeFilesHaveTheirModes(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "etc"), 0o755))
	// A package may have left a link where the recipe has a file.
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(root, "etc/shadow")))
	require.NoError(t, layRecipe(sources, "common", root))
	require.NoError(t, layRecipe(sources, Small, root))
	for path, mode := range map[string]os.FileMode{
		"usr/lib/labctl/seed": 0o755, "usr/lib/labctl/boot": 0o755, "etc/shadow": 0o640, "etc/passwd": 0o644,
	} {
		info, err := os.Lstat(filepath.Join(root, path))
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), path)
	}
}

package libvirt_test

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"labctl/provision"
	"labctl/provision/hypervisortest"
	"labctl/provision/image"
)

// smallImage finds the small image in the user's cache, or builds it there.
func smallImage(t *testing.T) *hypervisortest.Image {
	t.Helper()
	if testing.Short() {
		t.Skip("boots guests: run without -short, as root, as `make test` does")
	}
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	store, err := image.Open(filepath.Join(cache, "labctl"))
	require.NoError(t, err)
	small := image.Variant{Recipe: image.Small}
	built, err := store.Find(small)
	var missing *image.NotBuiltError
	if errors.As(err, &missing) {
		built, err = store.Build(t.Context(), small, func(s string) { t.Log(s) })
	}
	require.NoError(t, err)
	return &hypervisortest.Image{
		Disk: built.Disk, Kernel: built.Kernel, Initrd: built.Initrd, MemoryMiB: built.MemoryMiB,
		Cmdline: provision.KernelCmdline(provision.TCG, 0),
		Seed:    writeSeed,
		Boot:    3 * time.Minute, // 10 s on a quiet machine without KVM
	}
}

// writeSeed makes the tar archive that a small guest unpacks over its root.
func writeSeed(t *testing.T, n hypervisortest.Node) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(key, n.Name)
	require.NoError(t, err)
	env := fmt.Sprintf("HOSTNAME=%s\nADDRESS=%s\nPREFIX=%d\nGATEWAY=%s\nMAC=%s\nMTU=%d\nUSER=root\n",
		n.Name, n.Address, n.Network.CIDR.Bits(), n.Network.Gateway, n.MAC, n.Network.MTU)
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, content := range map[string]string{
		"etc/hostname":                 n.Name + "\n",
		"etc/labctl/node.env":          env,
		"etc/ssh/ssh_host_ed25519_key": string(pem.EncodeToMemory(block)),
	} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	p := filepath.Join(t.TempDir(), n.Name+".tar")
	require.NoError(t, os.WriteFile(p, b.Bytes(), 0o600))
	return p
}

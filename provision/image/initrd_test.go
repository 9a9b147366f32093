package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCpioHasTheKernelsForm(t *testing.T) {
	var archive cpio
	archive.add("dev/console", 0o020600, 5<<8|1, nil)
	archive.add("f", 0o100644, 0, []byte("12345"))
	assert.Equal(t, "070701"+
		"00000001"+"00002180"+"00000000"+"00000000"+"00000001"+"00000000"+"00000000"+
		"00000000"+"00000000"+"00000005"+"00000001"+"0000000c"+"00000000"+"dev/console\x00\x00\x00"+
		"070701"+
		"00000002"+"000081a4"+"00000000"+"00000000"+"00000001"+"00000000"+"00000005"+
		"00000000"+"00000000"+"00000000"+"00000000"+"00000002"+"00000000"+"f\x0012345\x00\x00\x00",
		archive.String())
}

func TestModuleName(t *testing.T) {
	for file, name := range map[string]string{
		"kernel/drivers/block/virtio_blk.ko.xz": "virtio_blk",
		"kernel/net/netfilter/xt-nfacct.ko":     "xt_nfacct",
	} {
		assert.Equal(t, name, moduleName(file))
	}
}

func TestModulesThatAreBuiltInHaveNoFile(t *testing.T) {
	files, err := moduleFiles(t.Context(), t.TempDir(), "ext4")
	require.NoError(t, err)
	assert.Empty(t, files)
}

func TestDamagedModuleIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "virtio_blk.ko"), []byte("not a module"), 0o644))
	_, err := moduleFiles(t.Context(), dir, "virtio_blk")
	require.ErrorContains(t, err, `reading module "virtio_blk"`)
}

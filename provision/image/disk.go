package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mke2fsConfig names every feature, so that the disk does not depend on what
// the machine's own mke2fs does by default, and Linux 5.10 can mount it. There
// is one inode per 64 KiB, twice what a node with its images uses.
const mke2fsConfig = `[defaults]
base_features = sparse_super,large_file,filetype,dir_index,ext_attr,has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize
default_mntopts = acl,user_xattr
blocksize = 4096
inode_size = 256
inode_ratio = 65536
reserved_ratio = 1.0
lazy_itable_init = 0
lazy_journal_init = 0
enable_periodic_fsck = 0
`

// writeDisk makes the qcow2 file out of a folder. The same folder gives the
// same bytes: the file system's random numbers come from the seed, its times
// from the epoch.
func writeDisk(ctx context.Context, root, target, seed string, epoch, size int64) error {
	work := filepath.Dir(target)
	raw, config := filepath.Join(work, "disk.raw"), filepath.Join(work, "mke2fs.conf")
	defer func() { _ = errors.Join(os.Remove(raw), os.Remove(config)) }()
	if err := os.WriteFile(config, []byte(mke2fsConfig), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(raw, nil, 0o644); err != nil {
		return err
	}
	if err := os.Truncate(raw, size); err != nil {
		return err
	}
	env := []string{
		"MKE2FS_CONFIG=" + config,
		fmt.Sprintf("E2FSPROGS_FAKE_TIME=%d", epoch),
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", epoch),
	}
	uuid := uuidFrom(seed)
	if _, err := run(ctx, env, "mke2fs", "-q", "-F", "-t", "ext4", "-L", "root", "-U", uuid,
		"-E", "hash_seed="+uuid+",root_owner=0:0,nodiscard", raw); err != nil {
		return fmt.Errorf("making the file system: %w", err)
	}
	if err := fillDisk(ctx, root, raw, env, epoch); err != nil {
		return fmt.Errorf("filling the file system: %w", err)
	}
	if _, err := run(ctx, nil, "qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-o", "compat=1.1", raw, target); err != nil {
		return fmt.Errorf("making the disk: %w", err)
	}
	return nil
}

// uuidFrom derives a UUID from a text.
func uuidFrom(text string) string {
	h := digest("file system", text)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
}

// fillDisk copies the folder into the file system and checks that it is sound.
func fillDisk(ctx context.Context, root, raw string, env []string, epoch int64) error {
	scratch, err := os.MkdirTemp(filepath.Dir(raw), "fill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	commands, err := populate(root, scratch)
	if err != nil {
		return err
	}
	if err := debugfs(ctx, env, raw, scratch, commands); err != nil {
		return err
	}
	if err := settleTimes(ctx, raw, scratch, env, epoch); err != nil {
		return err
	}
	_, err = run(ctx, env, "e2fsck", "-f", "-n", raw)
	return err
}

// settleTimes sets every time that an inode has: when it was changed, born and
// last read are among them, which only debugfs can set.
func settleTimes(ctx context.Context, raw, scratch string, env []string, epoch int64) error {
	header, err := run(ctx, env, "dumpe2fs", "-h", raw)
	if err != nil {
		return err
	}
	var inodes, free int
	for line := range strings.Lines(header) {
		_, _ = fmt.Sscanf(line, "Inode count: %d", &inodes)
		_, _ = fmt.Sscanf(line, "Free inodes: %d", &free)
	}
	if inodes == 0 || free == 0 || free >= inodes {
		return fmt.Errorf("counting inodes: dumpe2fs says %d, %d of them free", inodes, free)
	}
	var commands strings.Builder
	settle := func(inode int) {
		for _, field := range []string{"ctime", "atime", "mtime", "crtime"} {
			fmt.Fprintf(&commands, "sif <%d> %s @%d\n", inode, field, epoch)
			fmt.Fprintf(&commands, "sif <%d> %s_extra 0\n", inode, field)
		}
	}
	// Inodes below 11 are the file system's own; of them the root has times. The
	// others are given out one after another.
	settle(2)
	for inode := 11; inode <= inodes-free; inode++ {
		settle(inode)
	}
	return debugfs(ctx, env, raw, scratch, commands.String())
}

package image

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
)

// initrdModules are what a guest needs before it has a root file system, and
// its other devices, so that no program has to look for their drivers later.
var initrdModules = []string{"virtio_pci", "virtio_blk", "virtio_net", "virtio_rng", "virtio_console", "ext4"}

// writeInitrd makes the initramfs: an uncompressed cpio archive with our init
// and plain modules, because unpacking would cost more than reading.
func writeInitrd(ctx context.Context, target, initProgram, modulesDir string) error {
	files, err := moduleFiles(ctx, modulesDir, initrdModules...)
	if err != nil {
		return err
	}
	var archive cpio
	for _, folder := range []string{"dev", "modules", "root"} {
		archive.add(folder, 0o040755, 0, nil)
	}
	archive.add("dev/console", 0o020600, 5<<8|1, nil)
	program, err := os.ReadFile(initProgram)
	if err != nil {
		return err
	}
	archive.add("init", 0o100755, 0, program)
	var list []string
	for _, file := range files {
		archive.add("modules/"+file.name, 0o100644, 0, file.content)
		list = append(list, file.name)
	}
	archive.add("modules/list", 0o100644, 0, []byte(strings.Join(list, "\n")+"\n"))
	archive.add("TRAILER!!!", 0, 0, nil)
	return os.WriteFile(target, archive.Bytes(), 0o644)
}

// cpio is an archive in the "newc" form that the kernel unpacks. All files are
// root's and from 1970.
type cpio struct {
	bytes.Buffer
	inode int
}

// add appends one entry; device is major<<8 | minor.
func (c *cpio) add(name string, mode, device int, content []byte) {
	c.inode++
	links := 1
	fmt.Fprintf(c, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00", c.inode, mode, 0, 0, links, 0,
		len(content), 0, 0, device>>8, device&0xff, len(name)+1, 0, name)
	c.pad()
	c.Write(content)
	c.pad()
}

// pad fills up to a multiple of four bytes.
func (c *cpio) pad() {
	for c.Len()%4 != 0 {
		c.WriteByte(0)
	}
}

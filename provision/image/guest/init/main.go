//go:build linux

// Command init is the first program in a guest. It runs from the initramfs:
// loads the few modules that the disk and the network need, mounts the root
// file system, and starts the init that is found there.
package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// finitModule is the number of a system call that package syscall lacks.
const finitModule = 313

func main() {
	err := boot()
	// PID 1 must not return: the kernel would panic before anyone reads this.
	fmt.Println("labctl init:", err)
	for {
		time.Sleep(time.Hour)
	}
}

func boot() error {
	if err := syscall.Mount("dev", "/dev", "devtmpfs", 0, ""); err != nil {
		return fmt.Errorf("mounting /dev: %w", err)
	}
	list, err := os.ReadFile("/modules/list")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(list)) {
		if err := load("/modules/" + name); err != nil {
			return fmt.Errorf("loading module %q: %w", name, err)
		}
	}
	const disk, root = "/dev/vda", "/root"
	// 30 s is long even for a guest that shares an emulated CPU.
	for range 3000 {
		if err = syscall.Mount(disk, root, "ext4", syscall.MS_RELATIME, ""); err != syscall.ENOENT && err != syscall.ENXIO {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("mounting %s: %w", disk, err)
	}
	// The initramfs stays in memory for as long as its files exist.
	for _, name := range strings.Fields(string(list)) {
		_ = os.Remove("/modules/" + name)
	}
	_ = os.Remove("/init")
	if err := syscall.Mount("/dev", root+"/dev", "", syscall.MS_MOVE, ""); err != nil {
		return fmt.Errorf("moving /dev: %w", err)
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := syscall.Mount(".", "/", "", syscall.MS_MOVE, ""); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := syscall.Chroot("."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	const program = "/sbin/init"
	return fmt.Errorf("starting %s: %w", program, syscall.Exec(program, []string{program}, os.Environ()))
}

func load(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	none := [1]byte{}
	if _, _, code := syscall.Syscall(finitModule, file.Fd(), uintptr(unsafe.Pointer(&none)), 0); code != 0 && code != syscall.EEXIST {
		return code
	}
	return nil
}

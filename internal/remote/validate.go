package remote

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// reserved are variables that bash owns: it refuses an assignment, or does
// something other than store the bytes.
var reserved = []string{
	"BASHOPTS", "BASHPID", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_LINENO",
	"BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO", "DIRSTACK", "EPOCHREALTIME",
	"EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "LINENO", "PPID",
	"RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM", "UID", "_", Mark,
}

// Mark is the environment variable that a connection sets for everything a
// command starts, to find it again when it must be killed. The name begins
// with LC_ because sudo lets such variables through.
const Mark = "LC_LABCTL_STEP"

// Validate tells why a command can not be run as it is, on any connection.
func (c Command) Validate() error {
	if strings.ContainsRune(c.Script, 0) {
		return fmt.Errorf("the script holds a NUL byte, which bash can not read")
	}
	if c.Timeout < 0 {
		return fmt.Errorf("negative timeout %v", c.Timeout)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		switch {
		case !identifier(name):
			return fmt.Errorf("variable %q: not a shell identifier", name)
		case slices.Contains(reserved, name):
			return fmt.Errorf("variable %q: belongs to the shell", name)
		case strings.ContainsRune(c.Env[name], 0):
			return fmt.Errorf("variable %q: its value holds a NUL byte", name)
		}
	}
	return nil
}

func identifier(s string) bool {
	for i, r := range []byte(s) {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// ValidatePath tells why no file can have this path.
func ValidatePath(path string) error {
	if path == "" || strings.ContainsRune(path, 0) || strings.HasSuffix(path, "/") {
		return fs.ErrInvalid
	}
	return nil
}

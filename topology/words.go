package topology

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	userName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)
)

// checkHostKey accepts one public key in authorized_keys form: a type, the key
// in base64, and perhaps a comment. The key names its own type again (RFC 4253,
// section 6.6), which tells a cut or mixed-up line.
func checkHostKey(line string) error {
	words := strings.Fields(line)
	if len(words) < 2 || strings.Contains(strings.TrimSpace(line), "\n") {
		return errors.New(`must be one line such as "ssh-ed25519 AAAA…"`)
	}
	blob, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil {
		return fmt.Errorf("the key is not base64: %w", err)
	}
	if len(blob) < 4 {
		return errors.New("the key is cut short")
	}
	size := binary.BigEndian.Uint32(blob)
	if uint64(size) > uint64(len(blob)-4) || string(blob[4:4+size]) != words[0] {
		return fmt.Errorf("the key is not of type %q, or it is cut short", words[0])
	}
	return nil
}

// maxName is the longest host name label (RFC 1035), kept by the domain's name
// as a whole.
const maxName = 63

// CheckName says whether a word can name a pair or a node: a host name label in
// lower case, as Kubernetes wants it.
func CheckName(name string) error {
	if len(name) > maxName || !hostName.MatchString(name) {
		return fmt.Errorf("name %q must be a host name: a to z, 0 to 9 and - inside, at most %d characters", name, maxName)
	}
	return nil
}

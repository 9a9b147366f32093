package private

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const network = `<network>
  <name>pair</name>
  <forward mode='nat'/>
  <bridge name='virbr-pair' stp='off' delay='0'/>
  <dns enable='no'/>
  <ip address='10.10.10.1' netmask='255.255.255.0'/>
</network>`

// guest has nothing to boot from and waits in its firmware.
const guest = `<domain type='qemu'>
  <name>%s</name>
  <memory unit='MiB'>32</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices>
    <interface type='network'><source network='pair'/><model type='virtio'/></interface>
    <serial type='pty'/>
  </devices>
</domain>`

// document puts a libvirt document where virsh can read it.
func document(t *testing.T, xml string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "document.xml")
	require.NoError(t, os.WriteFile(path, []byte(xml), 0o600))
	return path
}

package libvirt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"labctl/provision/libvirt"
)

func TestTheCPUHasTheLastWordOnKVM(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpuinfo")
	for flags, why := range map[string]string{
		"fpu vmx sse":          "",
		"fpu svm":              "",
		"fpu sse":              "neither vmx nor svm",
		"fpu vmxnet3 svm_lock": "neither vmx nor svm",
	} {
		require.NoError(t, os.WriteFile(file, []byte("processor\t: 0\nflags\t\t: "+flags+"\nvmx flags\t: x\n"), 0o600))
		got, err := libvirt.WhyNoCPU(file)
		require.NoError(t, err)
		if why == "" {
			require.Empty(t, got, flags)
			continue
		}
		require.Contains(t, got, why, flags)
	}
	_, err := libvirt.WhyNoCPU(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}

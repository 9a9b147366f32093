package libvirt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMachineCPU(t *testing.T) {
	cpu, err := parseMachineCPU(`<capabilities><host><cpu><arch>x86_64</arch><model>kvm64</model><vendor>AMD</vendor>
		<counter name='tsc' frequency='2596122000' scaling='no'/><topology sockets='1' dies='1' cores='2' threads='1'/>
		<feature name='hypervisor'/><feature name='avx'/></cpu></host></capabilities>`)
	require.NoError(t, err)
	assert.Equal(t, "kvm64", cpu.Model)
	assert.Equal(t, 2596122, cpu.tscKHz())
	assert.False(t, cpu.virtualises())
	cpu.Features = append(cpu.Features, cpuFeature{Name: "svm"})
	assert.True(t, cpu.virtualises())
	cpu.Features[2].Policy = "disable" // as libvirt 11 spells what is not there
	assert.False(t, cpu.virtualises())
	cpu.Counters = nil
	assert.Zero(t, cpu.tscKHz())
	_, err = parseMachineCPU("<capabilities")
	assert.ErrorContains(t, err, "reading the machine's CPU")
}

package libvirt

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTSCKHz(t *testing.T) {
	for name, c := range map[string]struct {
		cpuinfo string
		want    int
	}{
		"constant":        {"processor\t: 0\nflags\t\t: fpu tsc constant_tsc nx\nbogomips\t: 5192.24\n", 2596120},
		"last of flags":   {"flags\t\t: fpu constant_tsc\nbogomips\t: 4800.00\n", 2400000},
		"not constant":    {"flags\t\t: fpu tsc\nbogomips\t: 5192.24\n", 0},
		"another machine": {"BogoMIPS\t: 48.00\nFeatures\t: fp\n", 0},
		"nothing":         {"", 0},
	} {
		assert.Equal(t, c.want, tscKHz(func(string) ([]byte, error) { return []byte(c.cpuinfo), nil }), name)
	}
	assert.Zero(t, tscKHz(func(string) ([]byte, error) { return nil, errors.New("none") }))
}

package provision

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParseTime(t *testing.T) {
	for line, want := range map[string]time.Time{
		"1796000000.250000": time.Unix(1796000000, 250e6),
		"1796000000,000001": time.Unix(1796000000, 1e3),
	} {
		got, ok := parseTime(line)
		assert.True(t, ok, line)
		assert.True(t, want.Equal(got), "%s: %s", line, got)
	}
	for _, line := range []string{"", "1796000000", "x.000000", "1.5", "1796000000.25000x"} {
		_, ok := parseTime(line)
		assert.False(t, ok, line)
	}
}

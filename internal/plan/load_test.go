package plan

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/strictyaml/yamltest"
)

func TestBadFiles(t *testing.T) {
	yamltest.BadFiles(t, func(name string, data []byte) error {
		_, err := Parse(name, data)
		return err
	})
}

func TestGoodFile(t *testing.T) {
	data, err := os.ReadFile("testdata/good.yaml")
	require.NoError(t, err)
	p, err := Parse("good.yaml", data)
	require.NoError(t, err)

	require.Len(t, p.Steps, 3)
	action, script, last := p.Steps[0], p.Steps[1], p.Steps[2]
	assert.Equal(t, Step{ID: "network", Title: "Make the network", Do: "network", Timeout: 2 * time.Minute, Pos: "good.yaml:6:5"}, action)

	assert.Equal(t, "007", script.Title)
	assert.Equal(t, []string{"all"}, script.On)
	assert.True(t, script.Root)
	assert.Equal(t, Retry{Every: 2 * time.Second, Limit: time.Minute}, script.Retry)
	assert.Equal(t, "for i in 1 2; do\n  echo $i  # not a comment of the file\ndone\ncat <<'EOF' > f\n  a\nEOF\n", script.Run)
	assert.Equal(t, `^token=(\S+)$`, script.Capture["TOKEN"].Expression())
	require.Len(t, script.Checks, 4)
	assert.Equal(t, 3, *script.Checks[0].Exit)
	assert.Equal(t, "null", script.Checks[1].Stdout.Equals.Text)
	assert.Equal(t, "good.yaml:28:9", script.Checks[1].Pos)
	assert.True(t, *script.Checks[2].Stderr.Empty)

	assert.Equal(t, []string{"a", "control-plane"}, last.On)
	assert.Equal(t, DefaultTimeout, last.Timeout)
}

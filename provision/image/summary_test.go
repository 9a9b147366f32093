package image

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	s, err := Summarize()
	require.NoError(t, err)
	text, err := os.ReadFile("image.lock")
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	assert.Equal(t, hex.EncodeToString(sum[:]), s.SHA256)
	assert.Equal(t, DefaultKubernetes(), s.Kubernetes[0])
	store, err := Open(t.TempDir())
	require.NoError(t, err)
	require.Len(t, s.Images, len(Variants()))
	for i, v := range Variants() {
		id, err := store.ID(v)
		require.NoError(t, err)
		assert.Equal(t, Buildable{ID: id, Variant: v}, s.Images[i])
	}
	var series []string
	for _, k := range s.Kernels {
		series = append(series, k.Series)
		assert.Contains(t, k.Package, "linux-image-"+k.Series+".")
		assert.Contains(t, k.Version, k.Series+".")
	}
	assert.Equal(t, []string{"6.12", "6.1", "5.10"}, series)
}

package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestManifestWantsImagesThatAreMade(t *testing.T) {
	list := []container{{names: []string{"quay.io/metallb/controller:v1"}}, {names: []string{"quay.io/metallb/speaker:v1"}}}
	const both = "      - image: \"quay.io/metallb/controller:v1\"\n        image: quay.io/metallb/speaker:v1\n"
	assert.NoError(t, checkManifest(both, list))
	assert.ErrorContains(t, checkManifest(both, list[:1]), `wants "quay.io/metallb/speaker:v1", which is not made`)
	assert.ErrorContains(t, checkManifest("kind: Namespace\n", list), "names none")
}

package report_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type colour [3]float64

// hexColour reads #rrggbb as linear light.
func hexColour(t *testing.T, text string) colour {
	t.Helper()
	var r, g, b uint8
	_, err := fmt.Sscanf(text, "#%02x%02x%02x", &r, &g, &b)
	require.NoError(t, err, text)
	var c colour
	for i, v := range []uint8{r, g, b} {
		if f := float64(v) / 255; f <= .04045 {
			c[i] = f / 12.92
		} else {
			c[i] = math.Pow((f+.055)/1.055, 2.4)
		}
	}
	return c
}

func (c colour) times(m [3]colour) colour {
	var to colour
	for i, row := range m {
		for j := range row {
			to[i] += row[j] * c[j]
		}
		to[i] = max(0, min(1, to[i]))
	}
	return to
}

// lab is CIE L*a*b*, in which distances are those that people see.
func (c colour) lab() colour {
	xyz := c.times([3]colour{{.4124 / .95047, .3576 / .95047, .1805 / .95047}, {.2126, .7152, .0722}, {.0193 / 1.08883, .1192 / 1.08883, .9505 / 1.08883}})
	for i, v := range xyz {
		if v > .008856 {
			xyz[i] = math.Cbrt(v)
		} else {
			xyz[i] = 7.787*v + 16./116
		}
	}
	return colour{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func (c colour) from(d colour) float64 {
	return math.Sqrt(math.Pow(c[0]-d[0], 2) + math.Pow(c[1]-d[1], 2) + math.Pow(c[2]-d[2], 2))
}

func (c colour) luminance() float64 { return .2126*c[0] + .7152*c[1] + .0722*c[2] }

// TestPlotColours: those of the lines can be told apart whatever way of seeing
// colours somebody has, and seen on the card, light and dark. The matrices are
// those of Machado, Oliveira and Fernandes (2009) for severity 1.
func TestPlotColours(t *testing.T) {
	eyes := map[string][3]colour{
		"most":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
		"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
		"tritanopia":   {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
	}
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	sets := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(css, -1)
	require.Len(t, sets, 3, "light, dark, print")
	for _, set := range sets {
		card := regexp.MustCompile(`--card: (#\w+);`).FindSubmatch(set[1])
		require.NotNil(t, card)
		ground := string(card[1])
		if ground == "#fff" {
			ground = "#ffffff"
		}
		behind := hexColour(t, ground).luminance()
		var lines []colour
		for _, found := range regexp.MustCompile(`--xy-\d: (#\w{6});`).FindAllSubmatch(set[1], -1) {
			c := hexColour(t, string(found[1]))
			light, dark := max(behind, c.luminance()), min(behind, c.luminance())
			assert.Greater(t, (light+.05)/(dark+.05), 3., "%s on %s", found[1], ground)
			lines = append(lines, c)
		}
		require.Len(t, lines, 6)
		for eye, seen := range eyes {
			for i, a := range lines {
				for j := range i {
					assert.Greater(t, a.times(seen).lab().from(lines[j].times(seen).lab()), 20., "%s: --xy-%d and --xy-%d on %s", eye, j, i, ground)
				}
			}
		}
	}
}

package xyplot

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func labels(s scale) string {
	var all []string
	for _, m := range s.marks {
		if m.Label != "" {
			all = append(all, m.Label)
		}
	}
	return strings.Join(all, " ")
}

func TestScales(t *testing.T) {
	for _, c := range []struct {
		name        string
		log         bool
		least, most float64
		want        string
	}{
		{"from zero", false, 3, 9.9, "0 2 4 6 8 10"},
		{"from one", false, 1, 10000, "0 2000 4000 6000 8000 10" + thin + "000"},
		{"not from zero", false, 100, 103, "100.0 100.5 101.0 101.5 102.0 102.5 103.0"},
		{"a tenth", false, 0, 0.3, "0.00 0.05 0.10 0.15 0.20 0.25 0.30"},
		{"below zero", false, -40, -7, "−40 −30 −20 −10 0"},
		{"both sides", false, -1500, 12000, "−2000 0 2000 4000 6000 8000 10" + thin + "000 12" + thin + "000"},
		{"one value", false, 5, 5, "0 2 4 6 8"},
		{"nothing but zero", false, 0, 0, "−1.0 −0.5 0.0 0.5 1.0"},
		{"large", false, 0, 1e15, "0 2e14 4e14 6e14 8e14 1e15"},
		{"small", false, 0, 1e-9, "0 2e−10 4e−10 6e−10 8e−10 1e−9"},
		{"hardly apart", false, 1e15, 1e15 + 1, "0 5e14 1e15 1.5e15"},
		{"decades", true, 1, 10000, "1 10 100 1000 10" + thin + "000"},
		{"between decades", true, 66, 2710, "50 100 200 500 1000 2000 5000"},
		{"within a decade", true, 3, 8, "2 5 10"},
		{"one value, round", true, 5, 5, "2 5 10"},
		{"one value", true, 3, 3, "2 5"},
		{"one decade", true, 10, 10, "5 10 20"},
		{"fractions", true, 0.004, 0.9, "0.01 0.1 1"},
		{"all there is", true, 1e-15, 1e15, "1e−12 1e−8 0.0001 1 10" + thin + "000 1e8 1e12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scaleOf(Axis{Log: c.log}, c.least, c.most)
			assert.Equal(t, c.want, labels(s))
			assert.LessOrEqual(t, s.min, c.least)
			assert.GreaterOrEqual(t, s.max, c.most)
			assert.Less(t, s.min, s.max)
		})
	}
}

// Whatever the values are, the scale holds them and has some labels and not too many.
func TestScalesOfAnything(t *testing.T) {
	for _, log := range []bool{false, true} {
		a := Axis{Log: log}
		for e := -15.0; e <= 14; e += 0.37 {
			for _, d := range []float64{1, 1.0000001, 1.3, 2, 7, 1e3, 1e9} {
				least, most := math.Pow(10, e), math.Pow(10, e)*d
				if !a.Takes(least) || !a.Takes(most) {
					continue
				}
				s := scaleOf(a, least, most)
				n := len(strings.Fields(strings.ReplaceAll(labels(s), thin, "")))
				assert.True(t, n >= 2 && n <= 9, "%g to %g: %q", least, most, labels(s))
				assert.True(t, s.min <= least && s.max >= most*(1-1e-6) && s.min < s.max, "%g to %g: %g to %g", least, most, s.min, s.max)
				assert.Less(t, len(s.marks), 90)
			}
		}
	}
}

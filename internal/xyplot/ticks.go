package xyplot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// scale is the part of an axis that is drawn. It begins and ends at round numbers;
// marks without a label are minor.
type scale struct {
	min, max float64
	marks    []plot.Tick
}

// scaleOf makes the scale for values from least to most, which the axis takes.
func scaleOf(a Axis, least, most float64) scale {
	if a.Log {
		return logarithmic(least, most)
	}
	return linear(least, most)
}

// mostSteps is how many steps a linear scale has at most.
const mostSteps = 7

// linear is a scale of steps of 1, 2 or 5. It begins at 0 unless that would squeeze
// the values into less than half of it.
func linear(least, most float64) scale {
	if wide := math.Abs(least) + math.Abs(most); most-least <= wide*1e-9 {
		half := wide / 4
		if half == 0 {
			half = 1
		}
		least, most = least-half, most+half
	}
	switch {
	case least > 0 && least <= most/2:
		least = 0
	case most < 0 && most >= least/2:
		most = 0
	}
	// What a float lacks to a round number must not make a step more.
	const lack = 1e-6
	for exponent := int(math.Floor(math.Log10((most - least) / mostSteps))); ; exponent++ {
		for _, digit := range []int{1, 2, 5} {
			step := exact(digit, exponent)
			first, last := math.Floor(least/step+lack), math.Ceil(most/step-lack)
			if last-first > mostSteps {
				continue
			}
			s := scale{min: first * step, max: last * step}
			for i := first; i <= last; i++ {
				// As text it is what it should be: 3 steps of 0.1 are 0.3.
				v, _ := strconv.ParseFloat(strconv.FormatFloat(i*step, 'f', decimals(exponent), 64), 64)
				s.marks = append(s.marks, plot.Tick{Value: v, Label: number(v, decimals(exponent))})
			}
			return s
		}
	}
}

// decimals is how many a multiple of ten to the exponent needs.
func decimals(exponent int) int { return max(0, -exponent) }

const (
	// fewDecades have labels at 2 and 5, too.
	fewDecades = 2.01
	// mostDecades are as many as have a label each.
	mostDecades = 8
)

// logarithmic is a scale that begins and ends at 1, 2 or 5 of a decade.
func logarithmic(least, most float64) scale {
	lower, upper := roundDown(least), roundUp(most)
	if lower == upper {
		lower, upper = roundDown(least/1.5), roundUp(most*1.5)
	}
	s := scale{min: lower, max: upper}
	decades := math.Log10(upper / lower)
	every := int(math.Ceil(decades / mostDecades))
	for exponent := decade(lower); ; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			v := exact(digit, exponent)
			if v > upper {
				return s
			}
			if v < lower {
				continue
			}
			mark := plot.Tick{Value: v}
			switch {
			case digit == 1 && exponent%every == 0, decades <= fewDecades && (digit == 2 || digit == 5):
				mark.Label = number(v, decimals(exponent))
			case every > 1:
				continue
			}
			s.marks = append(s.marks, mark)
		}
	}
}

func decade(v float64) int { return int(math.Floor(math.Log10(v) + 1e-9)) }

// exact is digit times ten to the exponent, as near as a number can be.
func exact(digit, exponent int) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(digit)+"e"+strconv.Itoa(exponent), 64)
	return v
}

// roundDown and roundUp go to the next 1, 2 or 5 of a decade.
func roundDown(v float64) float64 {
	at := decade(v)
	for _, digit := range []int{10, 5, 2} {
		if r := exact(digit, at); r <= v {
			return r
		}
	}
	return exact(1, at)
}

func roundUp(v float64) float64 {
	at := decade(v)
	for _, digit := range []int{1, 2, 5} {
		if r := exact(digit, at); r >= v {
			return r
		}
	}
	return exact(10, at)
}

// number writes a number with so many decimals as people read it: 10 000, 2.5,
// and 2e9 where there would be too many digits.
func number(v float64, places int) string {
	const mostPlaces = 5
	switch {
	case v == 0 && places > mostPlaces:
		return "0"
	case math.Abs(v) >= 1e7 || places > mostPlaces:
		text := strconv.FormatFloat(v, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		e, _ := strconv.Atoi(exponent)
		return minus(mantissa + "e" + strconv.Itoa(e))
	}
	text := strconv.FormatFloat(v, 'f', places, 64)
	whole, fraction, broken := strings.Cut(text, ".")
	if digits := strings.TrimPrefix(whole, "-"); len(digits) > 4 {
		sign := strings.TrimSuffix(whole, digits)
		for i := len(digits) - 3; i > 0; i -= 3 {
			digits = digits[:i] + thin + digits[i:]
		}
		whole = sign + digits
	}
	if broken {
		whole += "." + fraction
	}
	return minus(whole)
}

// thin is a blank that groups digits.
const thin = "\u2009"

func minus(text string) string { return strings.ReplaceAll(text, "-", "\u2212") }

package xyplot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// inline makes of a whole document what can stand in a page. A page's policy may
// forbid styles in attributes, so they become classes and attributes.
func inline(canvas io.WriterTo, p Plot) string {
	var document bytes.Buffer
	if _, err := canvas.WriteTo(&document); err != nil {
		panic(fmt.Sprintf("xyplot: writing to memory: %s", err))
	}
	_, body, _ := strings.Cut(document.String(), "<svg")
	_, body, _ = strings.Cut(body, ">")
	// Text has no quotes and angles of its own: they are escaped.
	body = regexp.MustCompile(`(?s)<text (.*?)font-size:([\d.]+)px(.*?)>([^<]*)</text>`).ReplaceAllStringFunc(body, measured)
	body = regexp.MustCompile(`\s+style="([^"]*)"`).ReplaceAllStringFunc(body, func(found string) string {
		_, properties, _ := strings.Cut(found, `"`)
		return attributes(strings.TrimSuffix(properties, `"`))
	})
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%d" height="%d" viewBox="0 0 %d %d" aria-label="%s">`+"\n<title>%s</title>%s",
		Width, height, Width, height, html.EscapeString(p.label()), html.EscapeString(p.Title), body)
}

// measured tells how wide a text is: the page's font may be wider than the one that
// the drawing was made with.
func measured(found string) string {
	size, _ := strconv.ParseFloat(between(found, "font-size:", "px"), 64)
	words := html.UnescapeString(between(found, ">", "</text>"))
	width := style(vg.Length(size), ink).Width(words)
	return strings.Replace(found, "<text ", fmt.Sprintf(`<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" `, width.Points()), 1)
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// attributes are those that stand for a style. Fonts are the page's.
func attributes(properties string) string {
	var classes, others string
	for property := range strings.SplitSeq(properties, ";") {
		name, value, _ := strings.Cut(property, ":")
		switch {
		case value == "none":
		case name == "fill" || name == "stroke":
			classes += " xy-" + name + " xy-" + class(value)
		case name == "font-size":
			others += fmt.Sprintf(` font-size="%s"`, strings.TrimSuffix(value, "px"))
		case strings.HasPrefix(name, "stroke-"):
			others += fmt.Sprintf(` %s="%s"`, name, value)
		}
	}
	return fmt.Sprintf(` class="%s"`, strings.TrimPrefix(classes, " ")) + others
}

// class is what a colour of the drawing stands for.
func class(colour string) string {
	var red uint8
	if _, err := fmt.Sscanf(colour, "#%02X0000", &red); err != nil {
		panic(fmt.Sprintf("xyplot: the drawing has the colour %q", colour))
	}
	switch p := paint(red); p {
	case ink:
		return "ink"
	case soft:
		return "soft"
	case rule:
		return "rule"
	default:
		return fmt.Sprint(int(p - first))
	}
}

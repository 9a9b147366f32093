package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain are texts that need no quotes, in a list in brackets neither, whoever
// reads them.
var plain = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./=-]*(?: [A-Za-z0-9_./=-]+)*$`)

// otherThanText are words that other readers of YAML take for no text.
var otherThanText = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// Scalar writes text as a scalar in one line, without quotes where nobody would
// miss them. What is no UTF-8 becomes U+FFFD.
func Scalar(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	switch {
	case plain.MatchString(text) && !slices.Contains(otherThanText, strings.ToLower(text)):
		return text
	case strings.IndexFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) < 0:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Block writes text of several lines as a literal block, as it stands behind a
// key whose own indentation is so many blanks less than the lines'. Text that no
// such block can hold, and a single line, is a Scalar.
func Block(text string, indent int) string {
	body, ends := strings.CutSuffix(text, "\n")
	odd := func(r rune) bool { return r != '\n' && r != ' ' && r != '\t' && !unicode.IsPrint(r) }
	// The first line says how far all are indented.
	starts := strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\t")
	if !strings.Contains(body, "\n") || strings.HasPrefix(body, "\n") || strings.HasSuffix(body, "\n") || starts ||
		strings.IndexFunc(body, odd) >= 0 || !utf8.ValidString(body) {
		return Scalar(text)
	}
	chomp := "|-"
	if ends {
		chomp = "|"
	}
	var b strings.Builder
	b.WriteString(chomp)
	for line := range strings.SplitSeq(body, "\n") {
		b.WriteByte('\n')
		if line != "" {
			b.WriteString(strings.Repeat(" ", indent) + line)
		}
	}
	return b.String()
}

package draft

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// cue are words of sentences that say what is to be seen, in English and in
// Chinese.
var cue = regexp.MustCompile(`(?i)\b(?:should|must|will|won't|cannot|you(?:'ll)? (?:now |will |should )?(?:see|get|find)|shows?|prints?|returns?|answers?|reports?|appears?|expects?|expected|there (?:is|are|will)|no longer|fails?|failed|succeeds?|refused|times? out|timed out|timing out|equals?|drops?|dropped|rejected|contains?|is (?:now |still |not )?(?:set|gone|there|empty|zero|absent|present)|does(?:n't| not) (?:exist|change|match)|stays?|remains?|says?|go(?:es)? through|never|nothing|remembers?|forgets?|forgotten)\b|会看到|可以看到|能看到|应该|会显示|会出现|会返回|就会|不会|说明`)

// order begins sentences that tell the reader to do something.
var order = regexp.MustCompile(`^(?i:check|look|run|note|compare|see|let|use|find|read|write|make|apply|try|if|when|why|what|how|now|then|first|next|before|after|take|say|search|establish|whatever|put|turn|get|do)\b`)

// Lengths, in characters, of sentences that may be claims.
const (
	minClaim = 15
	maxClaim = 300
)

// expectations are the sentences of a paragraph that read like such.
func expectations(paragraph string) []string {
	var found []string
	for _, s := range sentences(paragraph) {
		n := utf8.RuneCountInString(s)
		if han.MatchString(s) {
			n *= 2 // a character says more
		}
		if n >= minClaim && n <= maxClaim && cue.MatchString(s) && !order.MatchString(s) && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "？") {
			found = append(found, s)
		}
	}
	return found
}

// withoutColon is a sentence that leads to what follows it, with a full stop for
// its colon.
func withoutColon(s string) (string, bool) {
	if text := strings.TrimRight(s, "："); text != s {
		return text + "。", true
	}
	text := strings.TrimRight(s, ":")
	if text == s {
		return s, false
	}
	return text + ".", true
}

// short says that a sentence has so few words that it is a heading, such as "You
// should see".
func short(s string) bool {
	return len(strings.Fields(s)) < 4 && utf8.RuneCountInString(han.ReplaceAllString(s, "")) == utf8.RuneCountInString(s)
}

var sentenceEnd = regexp.MustCompile(`[.!?]["”’)]?\s+(?:["“(]?[\p{Lu}\p{Han}$/])|[。！？]`)

// sentences cuts a paragraph where a full stop is followed by a capital.
func sentences(paragraph string) []string {
	var all []string
	for rest := strings.TrimSpace(paragraph); rest != ""; {
		end := len(rest)
		if m := sentenceEnd.FindStringIndex(rest); m != nil {
			end = m[1]
			if i := strings.IndexAny(rest[m[0]:m[1]], " \t"); i > 0 {
				end = m[0] + i
			}
		}
		all = append(all, strings.TrimSpace(rest[:end]))
		rest = strings.TrimSpace(rest[end:])
	}
	return all
}

// maxTitle is the most characters of a title that is made of a sentence.
const maxTitle = 72

// title is a sentence as a step's title.
func title(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), " .:。：")
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	r := []rune(s)[:maxTitle]
	for i := len(r) - 1; i > maxTitle/3; i-- {
		if strings.ContainsRune(",;:，；：—", r[i]) {
			return strings.TrimSpace(string(r[:i]))
		}
	}
	for i := len(r) - 1; i > maxTitle/3; i-- {
		if r[i] == ' ' {
			return strings.TrimSpace(string(r[:i])) + "…"
		}
	}
	return string(r) + "…"
}

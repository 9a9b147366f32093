package strictyaml

import "strings"

// Nearest returns the valid word that a person most likely meant, or "" if none
// is near: at most one slip of a finger per three letters.
func Nearest(word string, valid []string) string {
	best, bestDistance := "", len(word)
	for _, v := range valid {
		d := distance(strings.ToLower(word), strings.ToLower(v))
		if d < bestDistance && d <= max(1, len(v)/3) {
			best, bestDistance = v, d
		}
	}
	return best
}

// Suggest says what to write in place of an unknown word: the nearest valid
// one, or all of them.
func Suggest(word string, valid []string) string {
	if near := Nearest(word, valid); near != "" {
		return "did you mean \"" + near + "\"?"
	}
	if len(valid) == 0 {
		return "there are none"
	}
	return "valid are " + strings.Join(valid, ", ")
}

// distance counts insertions, deletions, changes and swaps of neighbours
// (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

package plan

import "regexp"

// Pattern is a regular expression (RE2), multi-line: ^ and $ match at line
// ends. It is compiled when the plan is loaded.
type Pattern struct {
	*regexp.Regexp
}

// Check is one assertion about a step's output. Exactly one field is set.
type Check struct {
	// Exit is the exit code. A step without an Exit check must exit with 0.
	Exit *int
	// Stdout, Stderr and Combined assert on one stream; combined is stdout
	// followed by stderr.
	Stdout, Stderr, Combined *Text
	// Pos is where the check stands, as file:line:column.
	Pos string
}

// Text is one assertion about text. Exactly one field is set. Before it is
// compared, text is normalised: ANSI sequences and carriage returns before a
// newline go, trailing blanks of each line go, and so do trailing newlines.
type Text struct {
	Equals      *string
	Contains    *string
	NotContains *string
	Matches     *Pattern
	NotMatches  *Pattern
	Empty       *bool
}

// Result is the outcome of one check: Verdict is Pass, Fail, or Error when the
// output cannot be judged (a negative check on a command that did not run, say).
type Result struct {
	Verdict Verdict
	// Want says in words what was asserted, Got what came, shortened.
	Want, Got string
	Pos       string
}

package plan

import "regexp"

// Pattern is a regular expression (RE2), multi-line: ^ and $ match at line
// ends. It is compiled when the plan is loaded; where it has variables, With
// gives them values, and until then they stand for their own names.
type Pattern struct {
	*regexp.Regexp
	// written is as the file has it.
	written string
}

// Check is one assertion about a step's output. Exactly one of Exit, Stdout,
// Stderr, Combined, Value and Same is set.
type Check struct {
	// Exit is the exit code. A step none of whose checks, nor those of its claims,
	// says anything about the exit code must exit with 0.
	Exit *int
	// Stdout, Stderr and Combined assert on one stream; combined is stdout
	// followed by stderr.
	Stdout, Stderr, Combined *Text
	// Value asserts on text made of variables, those that the step itself
	// captures included.
	Value *Value
	// Same finds a value in the stdout of each of the step's nodes (the first
	// group, or the whole match); all must be the same.
	Same *Pattern
	// Node restricts the check to one of the step's nodes; empty means each.
	Node string
	// Pos is where the check stands, as file:line:column.
	Pos string
}

// Value is an assertion about text made of variables.
type Value struct {
	// Of is the text; ${NAME} in it stands for a variable.
	Of Template
	Text
}

// Text is one assertion about text. Exactly one of its fields is set, and those
// of JSON count as one. Before it is compared, text is normalised: ANSI sequences
// and carriage returns before a newline go, trailing blanks of each line go, and
// so do trailing newlines.
//
// In every string and pattern ${NAME} stands for a variable, in a pattern for
// its value literally; $${NAME} stands for the text ${NAME}.
type Text struct {
	Equals      *Template
	Not         *Template // is another text
	Contains    *Template
	NotContains *Template
	Matches     *Pattern
	NotMatches  *Pattern
	Empty       *bool
	// Lines are the text's lines, in order and complete.
	Lines []Line
	// AnyOrder are the text's lines, complete, in any order.
	AnyOrder []Line
	// Count counts matching lines.
	Count *Count
	// Number compares the text as a decimal number, Duration as a duration such
	// as 1m30s.
	Number   *Range
	Duration *Range
	IP       *IP
	// MAC compares hardware addresses, whatever their notation.
	MAC *Template
	// CIDR compares networks: 10.0.0.7/8 is 10.0.0.0/8.
	CIDR *Template
	JSON *JSON
}

// Line is one expected line, or several alike.
type Line struct {
	// Exactly one of Literal, Glob (*, ? and [...]; * matches anything within the
	// line) and Regex is set; the latter two match whole lines.
	Literal, Glob *Template
	Regex         *Pattern
	// Min and Max are how often the line may come; Max -1 is any number.
	Min, Max int
}

// Count is how many lines match a pattern.
type Count struct {
	Of Pattern
	Range
}

// Range compares with bounds; at least one is set, and all must hold. In Count
// and Number they are decimal numbers, in Duration durations.
type Range struct {
	Is, Not, AtLeast, AtMost, MoreThan, LessThan *Template
}

// IP compares addresses; exactly one field is set.
type IP struct {
	Is *Template
	// In is a network in CIDR notation.
	In *Template
}

// JSON asserts on what a JMESPath query finds in the text: a string as it is,
// anything else as compact JSON, nothing as null.
type JSON struct {
	Query Query
	*Text
}

// Result is the outcome of one check: Verdict is Pass, Fail, or Error when the
// output cannot be judged (a negative check on a command that did not run, say).
type Result struct {
	Verdict Verdict
	// Want says in words what was asserted, Got what came, shortened.
	Want, Got string
	Pos       string
	// Side is that of a claim's check; empty for a step's own.
	Side Side
	// Claim is the id of the claim that nobody could decide, of a result that says
	// so; empty of a check's.
	Claim string
}

// Side of a claim.
type Side string

// The two sides.
const (
	Says  Side = "says"
	Shows Side = "shows"
)

// Claim is one checkable sentence of a write-up. Which verdict it gets is
// computed: Says holds if the sentence is true of this cluster, Shows if what is
// known to be true instead is. Neither is a failure of the step: the world has
// changed and someone must look. Both is an error: the checks do not tell the
// two apart.
type Claim struct {
	// ID is unique in the lab and stable over its life.
	ID string
	// Where says where the sentence stands in the write-up.
	Where string
	// Text is what the write-up says, in words of our own.
	Text string
	// Says and Shows each hold if all their checks do. A claim that is expected to
	// hold has no Shows; a question that the write-up leaves open has no Says.
	Says, Shows []Check
	// Otherwise is the verdict if Shows holds.
	Otherwise ClaimVerdict
	// Because explains the verdict.
	Because string
	Pos     string
}

// ClaimVerdict is what became of a claim on one cluster on one day.
type ClaimVerdict string

// The verdicts of a claim. The last three are no findings: a document is no
// cluster, and what was not judged may be true or not.
const (
	Holds      ClaimVerdict = "holds"
	Moved      ClaimVerdict = "moved"    // true once; renamed, released or decided since
	Wrong      ClaimVerdict = "wrong"    // not true of this cluster
	Answered   ClaimVerdict = "answered" // a question that the write-up leaves open
	Contested  ClaimVerdict = "failed"   // neither what it says nor what is known instead
	Ambiguous  ClaimVerdict = "error"    // both, or nobody could find out
	NotShown   ClaimVerdict = "not shown here"
	AboutPaper ClaimVerdict = "about a document"
	NotJudged  ClaimVerdict = "not judged"
)

// ClaimResult is how a claim fares on one node's output.
type ClaimResult struct {
	ID string
	// Says and Shows are the worst of their checks; Skipped if there are none.
	Says, Shows Verdict
	Results     []Result
}

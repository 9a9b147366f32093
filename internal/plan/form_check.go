package plan

import "labctl/internal/strictyaml"

type checkForm struct {
	Pos      strictyaml.Pos `yaml:",pos"`
	Exit     *at[int]       `yaml:"exit,one" doc:"The exit code, 0 to 255."`
	Stdout   *at[textForm]  `yaml:"stdout,one" doc:"What it printed."`
	Stderr   *at[textForm]  `yaml:"stderr,one" doc:"What it printed to standard error."`
	Combined *at[textForm]  `yaml:"combined,one" doc:"Standard output, then standard error."`
	Value    *at[valueForm] `yaml:"value,one" doc:"Text made of variables."`
	Same     *at[Pattern]   `yaml:"same,one" doc:"RE2, in stdout: the first group, or the whole match, is the same on every node of the step."`
	Node     *at[string]    `yaml:"node" doc:"Restricts the check to one of the nodes."`
}

type valueForm struct {
	Of at[Template] `yaml:"of,required" doc:"The text; ${NAME} stands for a variable."`
	textForm
}

type textForm struct {
	plainForm
	JSON *at[jsonForm] `yaml:"json,one" doc:"What a JMESPath query finds in the text."`
}

type jsonForm struct {
	Query at[Query] `yaml:"query,required" doc:"JMESPath."`
	plainForm
}

// plainForm are the assertions on text that may also stand on what a query finds.
type plainForm struct {
	Equals      *at[Template]       `yaml:"equals,one" doc:"It is this text."`
	Not         *at[Template]       `yaml:"not,one" doc:"It is another text."`
	Contains    *at[Template]       `yaml:"contains,one" doc:"It contains this text."`
	NotContains *at[Template]       `yaml:"notContains,one" doc:"It does not contain this text."`
	Matches     *at[Pattern]        `yaml:"matches,one" doc:"RE2; matches somewhere. ^ and $ match at line ends."`
	NotMatches  *at[Pattern]        `yaml:"notMatches,one" doc:"RE2; matches nowhere."`
	Empty       *at[bool]           `yaml:"empty,one" doc:"Whether it is empty."`
	Lines       *at[[]at[lineForm]] `yaml:"lines,one" doc:"Its lines, all of them and in order."`
	AnyOrder    *at[[]at[lineForm]] `yaml:"anyOrder,one" doc:"Its lines, all of them, in any order."`
	Count       *at[countForm]      `yaml:"count,one" doc:"How many of its lines match."`
	Number      *at[rangeForm]      `yaml:"number,one" doc:"It is one decimal number, within bounds."`
	Duration    *at[rangeForm]      `yaml:"duration,one" doc:"It is one duration such as 1m30s, within bounds."`
	IP          *at[ipForm]         `yaml:"ip,one" doc:"It is an IP address."`
	MAC         *at[Template]       `yaml:"mac,one" doc:"It is this hardware address, whatever the notation."`
	CIDR        *at[Template]       `yaml:"cidr,one" doc:"It is this network: 10.0.0.7/8 is 10.0.0.0/8."`
}

type lineForm struct {
	Line  *at[Template] `yaml:"line,word,one" doc:"The line itself."`
	Glob  *at[Template] `yaml:"glob,one" doc:"*, ? and [...] for the whole line."`
	Regex *at[Pattern]  `yaml:"regex,one" doc:"RE2 for the whole line."`
	Times *at[times]    `yaml:"times" doc:"How often: ?, *, +, 3 or 2-5."`
}

type countForm struct {
	Of at[Pattern] `yaml:"of,required" doc:"RE2."`
	rangeForm
}

type rangeForm struct {
	Is       *at[Template] `yaml:"is" doc:"Just this."`
	Not      *at[Template] `yaml:"not" doc:"Anything else."`
	AtLeast  *at[Template] `yaml:"atLeast" doc:"This or more."`
	AtMost   *at[Template] `yaml:"atMost" doc:"This or less."`
	MoreThan *at[Template] `yaml:"moreThan" doc:"More than this."`
	LessThan *at[Template] `yaml:"lessThan" doc:"Less than this."`
}

type ipForm struct {
	Is *at[Template] `yaml:"is,one" doc:"Just this address."`
	In *at[Template] `yaml:"in,one" doc:"In this network, such as 10.244.1.0/24."`
}

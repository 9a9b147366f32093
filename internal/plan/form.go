package plan

import "labctl/internal/strictyaml"

type at[T any] = strictyaml.At[T]

// StepForm is the YAML form of a Step, for files that hold steps.
type StepForm struct {
	Pos        strictyaml.Pos                      `yaml:",pos"`
	ID         at[string]                          `yaml:"id,required" doc:"Lower-case letters, digits and - inside; unique in the file, stable over its life."`
	Title      string                              `yaml:"title,required" doc:"For people."`
	Group      string                              `yaml:"group" doc:"A heading over the steps that have the same."`
	On         strictyaml.Words                    `yaml:"on" doc:"Where it runs: a node, a role, or all; a word or a list. At once on all of them."`
	Do         *at[string]                         `yaml:"do,one" doc:"A built-in action, of provisioning plans only."`
	Stop       *at[string]                         `yaml:"stop,one" doc:"The id of an earlier background step: ends it, and judges what it printed."`
	Run        *at[string]                         `yaml:"run,one" doc:"Bash, sent as written."`
	Root       *at[bool]                           `yaml:"root" doc:"Run with sudo."`
	Background *at[backgroundForm]                 `yaml:"background" doc:"Leave it running while later steps run, until one stops it."`
	Timeout    *at[duration]                       `yaml:"timeout" doc:"Limits one attempt on one node; 1m unless it says otherwise."`
	Retry      *at[retryForm]                      `yaml:"retry" doc:"Run it again until it passes."`
	Capture    strictyaml.Entries[at[captureForm]] `yaml:"capture" doc:"Variables for later steps: NAME: pattern, found in stdout."`
	Checks     *at[[]checkForm]                    `yaml:"checks" doc:"All must hold, on each node."`
	Claims     *at[[]claimForm]                    `yaml:"claims" doc:"Sentences of the write-up that this output proves or refutes."`
	Chart      *at[chartForm]                      `yaml:"chart" doc:"What it printed is packets, of tcpdump: reports draw a sequence chart."`
	Explain    string                              `yaml:"explain" doc:"What there is to see, for a learner."`
	Hint       string                              `yaml:"hint" doc:"Where to look if it does not pass."`
}

// refuseInPlans refuses what belongs to a lab.
func (f StepForm) refuseInPlans(slips *strictyaml.Slips) {
	refuse := func(pos strictyaml.Pos, key string) {
		slips.Addf(pos, "%q belongs to a lab, and this is a plan", key)
	}
	if f.Claims != nil {
		refuse(f.Claims.Pos, "claims")
	}
	if f.Stop != nil {
		refuse(f.Stop.Pos, "stop")
	}
	if f.Background != nil {
		refuse(f.Background.Pos, "background")
	}
}

// checks returns every check form of the step.
func (f StepForm) checks() []checkForm {
	var all []checkForm
	add := func(list *at[[]checkForm]) {
		if list != nil {
			all = append(all, list.Value...)
		}
	}
	add(f.Checks)
	if f.Claims != nil {
		for _, c := range f.Claims.Value {
			add(c.Says)
			add(c.Shows)
		}
	}
	return all
}

// CheckedNodes returns the nodes that checks are restricted to, where they stand.
func (f StepForm) CheckedNodes() []strictyaml.At[string] {
	var nodes []at[string]
	for _, c := range f.checks() {
		if c.Node != nil {
			nodes = append(nodes, *c.Node)
		}
	}
	return nodes
}

// Compared returns where checks compare the step's nodes.
func (f StepForm) Compared() []strictyaml.Pos {
	var places []strictyaml.Pos
	for _, c := range f.checks() {
		if c.Same != nil {
			places = append(places, c.Same.Pos)
		}
	}
	return places
}

type retryForm struct {
	Every at[duration]  `yaml:"every,required" doc:"The wait before each further attempt."`
	Limit at[duration]  `yaml:"limit,required" doc:"No attempt starts later than this after the first."`
	Stay  *at[duration] `yaml:"stay" doc:"How long it must go on passing before it counts."`
}

type captureForm struct {
	Pattern at[Pattern] `yaml:"pattern,required,word" doc:"RE2; the first group, or the whole match."`
	Secret  bool        `yaml:"secret" doc:"Mask the value in whatever is shown or kept."`
}

type backgroundForm struct {
	Yes   *at[bool]    `yaml:",word" doc:"true: starting it is enough."`
	Ready *at[Pattern] `yaml:"ready" doc:"RE2; must match what it has printed before the next step runs."`
}

type claimForm struct {
	Pos       strictyaml.Pos   `yaml:",pos"`
	ID        at[string]       `yaml:"id,required" doc:"Unique in the lab, stable over its life, such as A57."`
	Where     at[string]       `yaml:"where,required" doc:"Where in the write-up it stands."`
	Text      *at[string]      `yaml:"text,one" doc:"What the write-up says, in words of our own."`
	Asks      *at[string]      `yaml:"asks,one" doc:"A question that the write-up leaves open, instead of text and says."`
	Says      *at[[]checkForm] `yaml:"says" doc:"How to see that the sentence is true: all of these checks hold."`
	Shows     *at[[]checkForm] `yaml:"shows" doc:"How to see what is known to be true instead, or the answer."`
	Otherwise *at[string]      `yaml:"otherwise" doc:"The verdict if shows holds: moved (true once), or wrong." enum:"moved wrong"`
	Because   *at[string]      `yaml:"because" doc:"Explains what shows shows."`
}

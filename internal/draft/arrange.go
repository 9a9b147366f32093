package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// draft is a write-up's commands in order, and what there is to say of them.
type draft struct {
	title           string
	steps, teardown []*step
	// loose are sentences that stand near no commands.
	loose []claim
	nodes places
	// claims counts those that have an id.
	claims int
}

// step is a step to be.
type step struct {
	title, on string
	root      bool
	script    []string
	output    []string
	claims    []claim
	// todo says what the author must see to.
	todo []string
	line int
	// section is the heading it stands under, by number.
	section int
}

// claim is a sentence that may be one.
type claim struct{ id, where, text string }

// shells and outputs are languages of fenced code that people write for commands
// and for what they print.
var (
	shells  = []string{"sh", "bash", "shell", "zsh", "ksh", "console", "terminal", "shell-session", "sh-session", "shellsession"}
	outputs = []string{"", "text", "txt", "plaintext", "output", "none"}
)

var (
	teardown = regexp.MustCompile(`(?i)\b(?:tear ?down|clean(?:ing)? ?up|tidy(?:ing)? up|undo|restore|put (?:it|everything) back)\b|清理|还原`)
	numbered = regexp.MustCompile(`^((?:Step|步骤) *\d+)\s*[:：]`)
)

// arranger goes through a write-up once.
type arranger struct {
	*draft
	section int
	heading string
	// before is the last paragraph since a heading or code.
	before string
	last   *step
	// waiting are sentences for the next step of the section, and leading those that
	// end in a colon: they are about the code that follows, command or output.
	waiting, leading []claim
	// code counts that of each section.
	code map[int]int
}

// arrange makes steps of the pieces.
func arrange(pieces []piece) (*draft, error) {
	nodes, err := placesOf(Topology)
	if err != nil {
		return nil, err
	}
	a := &arranger{draft: &draft{nodes: nodes}, code: map[int]int{}}
	section := 0
	for _, p := range pieces {
		switch {
		case p.heading != "":
			section++
		case len(p.code) > 0:
			a.code[section]++
		}
	}
	for i, p := range pieces {
		switch {
		case p.heading != "":
			a.begin(p.heading)
		case p.paragraph != "":
			if i == 0 && a.title == "" {
				a.title = sentences(p.paragraph)[0]
			}
			a.prose(p.paragraph)
		case len(p.code) > 0:
			a.take(p)
		}
	}
	a.loose = append(append(a.loose, a.waiting...), a.leading...)
	for _, list := range [][]*step{a.steps, a.teardown} {
		a.variables(list)
	}
	return a.draft, nil
}

func (a *arranger) begin(heading string) {
	if a.title == "" {
		a.title = heading
	}
	a.section++
	a.loose = append(append(a.loose, a.waiting...), a.leading...)
	a.heading, a.before, a.last, a.waiting, a.leading = heading, "", nil, nil, nil
}

// prose keeps what a paragraph says for the steps around it: what stands behind
// commands is about them, and what ends in a colon about what follows.
func (a *arranger) prose(paragraph string) {
	a.before = paragraph
	where := a.heading
	if m := numbered.FindStringSubmatch(paragraph); m != nil {
		where = m[1]
		paragraph = strings.TrimSpace(paragraph[len(m[0]):])
	}
	for _, s := range expectations(paragraph) {
		text, leads := withoutColon(s)
		if leads && short(text) {
			continue // "You should see:" is a heading, and what follows it says what
		}
		a.claims++
		c := claim{id: fmt.Sprintf("C%02d", a.claims), where: where, text: text}
		switch {
		case leads:
			a.leading = append(a.leading, c)
		case a.last != nil:
			a.last.claims = append(a.last.claims, c)
		default:
			a.waiting = append(a.waiting, c)
		}
	}
}

// take makes steps of code, or output of the step before.
func (a *arranger) take(p piece) {
	shell := slices.Contains(shells, p.language)
	prompts := slices.ContainsFunc(p.code, isPrompt)
	switch {
	case prompts && (shell || slices.Contains(outputs, p.language)):
		for _, c := range session(p.code) {
			s := a.add(p, c.script)
			s.output = c.output
			s.root = c.root
			a.host(s, c.host)
		}
	case shell || p.language == "" && looksLikeShell(p.code):
		a.add(p, p.code)
	case slices.Contains(outputs, p.language) && a.last != nil && len(a.last.output) == 0:
		a.last.output = p.code
		a.last.claims = append(a.last.claims, a.leading...)
		a.leading = nil
	case a.last != nil:
		a.last.todo = append(a.last.todo, fmt.Sprintf("line %d shows %s: if a step needs it as a file, write it there with cat > FILE <<'EOF'", p.line, language(p)))
	}
}

func language(p piece) string {
	if p.language == "" || slices.Contains(outputs, p.language) {
		return "what is no command"
	}
	return p.language
}

func (a *arranger) add(p piece, script []string) *step {
	s := &step{script: script, line: p.line, section: a.section, title: a.stepTitle(), claims: append(a.waiting, a.leading...)}
	a.waiting, a.leading = nil, nil
	s.on = a.nodes[0].node
	node, words := a.nodes.named(a.before)
	if node == "" {
		node, words = a.nodes.named(a.heading)
	}
	// kubectl's settings are on the first control plane.
	if node != "" && node != s.on && !strings.Contains(strings.Join(script, "\n"), "kubectl") {
		s.on = node
		s.todo = append(s.todo, fmt.Sprintf("%q is why it runs there", words))
	}
	s.todo = append(s.todo, notes(script)...)
	if teardown.MatchString(a.heading) {
		a.teardown = append(a.teardown, s)
	} else {
		a.steps = append(a.steps, s)
	}
	a.last, a.before = s, ""
	return s
}

// host lets a prompt say where a step runs.
func (a *arranger) host(s *step, name string) {
	if name == "" {
		return
	}
	if node := a.nodes.host(name); node != "" {
		s.on = node
		s.todo = slices.DeleteFunc(s.todo, func(t string) bool { return strings.HasSuffix(t, "is why it runs there") })
		return
	}
	s.todo = append(s.todo, fmt.Sprintf("the prompt is of a host %q: say which node that is", name))
}

// stepTitle is the heading of a section with one piece of code, else the sentence
// that leads to it: the one with a colon, or the paragraph's first.
func (a *arranger) stepTitle() string {
	if a.heading != "" && (a.code[a.section] == 1 || a.before == "") {
		return title(a.heading)
	}
	if a.before == "" {
		return "Commands"
	}
	all := sentences(a.before)
	last := all[len(all)-1]
	if _, leads := withoutColon(last); leads && !numbered.MatchString(all[0]) && !short(last) {
		return title(last)
	}
	return title(all[0])
}

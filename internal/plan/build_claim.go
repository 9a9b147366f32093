package plan

import (
	"regexp"
	"slices"
	"strings"

	"labctl/internal/strictyaml"
)

var claimID = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// ClaimID notes the id of a claim that no step of the Builder's lists proves.
func (b *Builder) ClaimID(id strictyaml.At[string]) {
	if !claimID.MatchString(id.Value) {
		b.Slips.Addf(id.Pos, "claim id %q%s must be a letter, then letters, digits and - inside", id.Value, b.ofRow())
	}
	b.take(&b.claims, "claim", id)
}

func (b *Builder) claimsOf(f StepForm, s *Step) {
	if f.Claims == nil {
		return
	}
	if len(f.Claims.Value) == 0 {
		b.Slips.Addf(f.Claims.Pos, `"claims" is empty: it claims nothing`)
	}
	for _, c := range f.Claims.Value {
		s.Claims = append(s.Claims, b.claim(c))
	}
}

func (b *Builder) claim(f claimForm) Claim {
	b.ClaimID(f.ID)
	c := Claim{ID: f.ID.Value, Where: f.Where.Value, Pos: f.Pos.String()}
	b.filled("where", &f.Where)
	c.Text = b.filled("text", f.Text)
	if f.Asks != nil {
		c.Text = b.filled("asks", f.Asks)
	}
	c.Because = b.filled("because", f.Because)
	if f.Says != nil {
		c.Says = b.checks("says", *f.Says)
	}
	if f.Shows != nil {
		c.Shows = b.checks("shows", *f.Shows)
	}
	b.claimKind(f)
	b.apart(f, c)
	b.otherwise(f, &c)
	switch {
	case f.Shows != nil && f.Because == nil:
		b.Slips.Addf(f.Pos, `claim %q: "shows" needs "because"`, c.ID)
	case f.Shows == nil && f.Because != nil:
		b.Slips.Addf(f.Because.Pos, `claim %q: "because" explains what it "shows", and there is nothing`, c.ID)
	}
	return c
}

// claimKind holds a claim to being a sentence or a question.
func (b *Builder) claimKind(f claimForm) {
	switch {
	case f.Text != nil && f.Says == nil:
		b.Slips.Addf(f.Pos, `claim %q needs "says": how to see that the sentence is true`, f.ID.Value)
	case f.Asks != nil && f.Says != nil:
		b.Slips.Addf(f.Says.Pos, `claim %q is a question: it has "shows" alone`, f.ID.Value)
	case f.Asks != nil && f.Shows == nil:
		b.Slips.Addf(f.Pos, `claim %q needs "shows": how to see the answer`, f.ID.Value)
	}
}

// apart refuses sides that cannot differ: where all checks of one are among those
// of the other, the one holds whenever the other does.
func (b *Builder) apart(f claimForm, c Claim) {
	if len(c.Says) == 0 || len(c.Shows) == 0 {
		return
	}
	within := func(list, other []Check) bool {
		return !slices.ContainsFunc(list, func(x Check) bool {
			return !slices.ContainsFunc(other, func(y Check) bool { return x.words() == y.words() })
		})
	}
	switch {
	case within(c.Says, c.Shows) && within(c.Shows, c.Says):
		b.Slips.Addf(f.Shows.Pos, `claim %q: "says" and "shows" are the same checks`, c.ID)
	case within(c.Says, c.Shows):
		b.Slips.Addf(f.Shows.Pos, `claim %q: "shows" has all checks of "says": where it holds, both do`, c.ID)
	case within(c.Shows, c.Says):
		b.Slips.Addf(f.Says.Pos, `claim %q: "says" has all checks of "shows": where it holds, both do`, c.ID)
	}
}

func (b *Builder) otherwise(f claimForm, c *Claim) {
	words := []string{string(Moved), string(Wrong)}
	needed := f.Says != nil && f.Shows != nil
	switch {
	case f.Asks != nil && f.Otherwise == nil:
		c.Otherwise = Answered
	case needed && f.Otherwise == nil:
		b.Slips.Addf(f.Pos, `claim %q: "says" and "shows" need "otherwise": %s`, c.ID, strings.Join(words, " or "))
	case !needed && f.Otherwise != nil:
		b.Slips.Addf(f.Otherwise.Pos, `claim %q: "otherwise" needs both "says" and "shows"`, c.ID)
	case f.Otherwise != nil && !slices.Contains(words, f.Otherwise.Value):
		b.Slips.Addf(f.Otherwise.Pos, `"otherwise" must be %s, not %q`, strings.Join(words, " or "), f.Otherwise.Value)
	case needed:
		c.Otherwise = ClaimVerdict(f.Otherwise.Value)
	}
}

// filled returns the text, which must not be empty if it is there.
func (b *Builder) filled(key string, t *at[string]) string {
	if t == nil {
		return ""
	}
	if strings.TrimSpace(t.Value) == "" {
		b.Slips.Addf(t.Pos, "%q is empty", key)
	}
	return t.Value
}

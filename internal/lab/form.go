package lab

import (
	"strings"

	"labctl/internal/plan"
	"labctl/internal/strictyaml"
)

type at[T any] = strictyaml.At[T]

type file struct {
	Name     at[string]                      `yaml:"name,required" doc:"What 'labctl run' takes; the folder's name."`
	Title    string                          `yaml:"title,required" doc:"For people."`
	Writeup  string                          `yaml:"writeup,required" doc:"Which text this makes executable."`
	Topology at[string]                      `yaml:"topology,required" doc:"An embedded topology."`
	Vars     strictyaml.Entries[at[varForm]] `yaml:"vars" doc:"Variables of every script: NAME: default, or {secret: …} for one that must be given."`
	Shuffle  bool                            `yaml:"shuffle" doc:"The steps do not depend on each other."`
	Claims   *at[[]paperForm]                `yaml:"claims" doc:"Claims that no step proves."`
	Steps    at[[]plan.ItemForm]             `yaml:"steps,required" doc:"The write-up's own, in its order; they stop at the first that does not pass."`
	Teardown at[[]plan.ItemForm]             `yaml:"teardown,required" doc:"The write-up's own, as written; all of it runs."`
	Repair   *at[[]plan.ItemForm]            `yaml:"repair" doc:"Puts right what the teardown leaves."`
	Drills   *at[[]drillForm]                `yaml:"drills" doc:"Faults for a learner to find, made of the lab's own steps."`
}

type varForm struct {
	Default *string   `yaml:",word" doc:"Its value where nobody gives one."`
	Secret  *at[bool] `yaml:"secret,required" doc:"Mask the value in whatever is shown or kept."`
}

// paperForm is a claim that no step proves.
type paperForm struct {
	Pos      strictyaml.Pos `yaml:",pos"`
	ID       at[string]     `yaml:"id,required" doc:"Unique in the lab, stable over its life, such as A57."`
	Where    at[string]     `yaml:"where,required" doc:"Where in the write-up it stands."`
	Text     at[string]     `yaml:"text,required" doc:"What the write-up says, in words of our own."`
	Document *at[string]    `yaml:"document,one" doc:"It is about a document: why no cluster shows it."`
	Cannot   *at[string]    `yaml:"cannot,one" doc:"Why this pair cannot show it."`
}

func (f file) vars(b *plan.Builder) map[string]Var {
	var vars map[string]Var
	for _, e := range f.Vars {
		b.Var(e.Key)
		if vars == nil {
			vars = map[string]Var{}
		}
		form := e.Value.Value
		vars[e.Key.Value] = Var{Default: form.Default, Secret: form.Secret != nil && form.Secret.Value}
	}
	return vars
}

func (f file) paper(b *plan.Builder) []PaperClaim {
	if f.Claims == nil {
		return nil
	}
	if len(f.Claims.Value) == 0 {
		b.Slips.Addf(f.Claims.Pos, `"claims" is empty: it claims nothing`)
	}
	var claims []PaperClaim
	for _, c := range f.Claims.Value {
		b.ClaimID(c.ID)
		for _, t := range []struct {
			key  string
			text *at[string]
		}{{"where", &c.Where}, {"text", &c.Text}, {"document", c.Document}, {"cannot", c.Cannot}} {
			if t.text != nil && strings.TrimSpace(t.text.Value) == "" {
				b.Slips.Addf(t.text.Pos, "%q is empty", t.key)
			}
		}
		claim := PaperClaim{ID: c.ID.Value, Where: c.Where.Value, Text: c.Text.Value, Pos: c.Pos.String()}
		if c.Document != nil {
			claim.Verdict, claim.Because = plan.AboutPaper, c.Document.Value
		} else {
			claim.Verdict, claim.Because = plan.NotShown, c.Cannot.Value
		}
		claims = append(claims, claim)
	}
	return claims
}

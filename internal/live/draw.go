package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"labctl/internal/journal"
	"labctl/internal/plan"
	"labctl/internal/report"
	"labctl/internal/sample"
)

// head is the line over everything.
type head struct {
	Run journal.Run
	report.Whole
	// State is the run's verdict; running or ahead until there is one.
	State string
	// Done of so many steps have ended.
	Done, Of int
	// Elapsed is how long the run has taken up to its last event, in seconds; Goes
	// tells that it goes on.
	Elapsed float64
	Goes    bool
	Led     bool
}

// leastSilence is how long a run may be without an event whatever its lab says:
// restoring a cluster has limits of its own.
const leastSilence = 30 * time.Minute

// silence is how long a run that goes on may be without an event: twice what its
// longest step may take, attempts included.
func (p *Page) silence() time.Duration {
	longest := time.Duration(0)
	for _, of := range p.plans {
		for _, s := range of.Steps {
			longest = max(longest, s.Timeout+s.Retry.Limit+s.Retry.Stay)
		}
	}
	return max(leastSilence, 2*longest*time.Duration(max(1, p.result.Run.Scale)))
}

// noEnd is the state of a run whose record stops in its middle.
const noEnd = "no end"

// draw puts everything that the events tell on the board.
func (p *Page) draw() error {
	all := p.sections()
	h := head{Run: p.result.Run, Whole: report.Summarise(p.result), State: ahead, Led: p.result.Run.Led}
	switch {
	case p.result.Complete:
		h.State = h.Verdict
	case p.track.begun && time.Since(p.result.Ended) > p.silence():
		h.State = noEnd
	case p.track.begun:
		h.State, h.Goes = running, true
	}
	if !p.result.Started.IsZero() {
		h.Elapsed = p.result.Ended.Sub(p.result.Started).Seconds()
		if h.Goes {
			h.Elapsed = time.Since(p.result.Started).Seconds()
		}
	}
	for _, s := range all {
		for _, i := range s.Items {
			h.Of++
			if i.State != running && i.State != ahead {
				h.Done++
			}
		}
	}
	at := p.track.at
	if at == "" {
		at = keyStart
	}
	for name, content := range map[string]any{
		"head": h,
		"list": struct {
			Sections []section
			Seen     int
			State    string
		}{all, len(p.events), h.State},
		"at":  at,
		"say": p.track.said,
	} {
		if err := p.put(name, name, content); err != nil {
			return err
		}
	}
	return nil
}

func (p *Page) put(name, template string, content any) error {
	html, err := p.fill(template, content)
	if err == nil {
		p.board.put(name, html)
	}
	return err
}

func (p *Page) fill(template string, content any) (string, error) {
	var b strings.Builder
	if err := p.parts.ExecuteTemplate(&b, template, content); err != nil {
		return "", fmt.Errorf("filling %q of the live page: %w", template, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// maxConns is how many connections of a node are shown, those that changed first.
const maxConns = 60

func (p *Page) drawNodes() error {
	for i, n := range p.nodes {
		shown := struct {
			sample.Node
			Waiting   bool
			LeftConns int
		}{Node: n, Waiting: n.Rules.Lines == nil && n.Conns.Lines == nil && n.Rules.Lack == "" && n.Conns.Lack == "" && n.Trouble == ""}
		if left := len(n.Conns.Lines) - maxConns; left > 0 {
			shown.Conns.Lines, shown.LeftConns = n.Conns.Lines[:maxConns], left
		}
		if err := p.put(fmt.Sprintf("node-%d", i), "node", shown); err != nil {
			return err
		}
	}
	return nil
}

// detail is what the page shows of one key, as markup.
func (p *Page) detail(key string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch key {
	case keyStart:
		return p.fill("start", struct {
			Run journal.Run
			report.Whole
			Begun bool
		}{p.result.Run, report.Summarise(p.result), p.track.begun})
	case keyEnd:
		return p.fill("end", newVerdict(p.result))
	}
	all := p.sections()
	i, ok := find(all, key)
	if !ok {
		return "", errNoSuchKey
	}
	return p.fill("step", p.step(all, i))
}

// verdict is the run's, with what it rests on.
type verdict struct {
	report.Whole
	Complete bool
	Claims   []verdictClaim
	Seconds  float64
	Hint     string
	// Report says that the run's report can be read.
	Report bool
}

type verdictClaim struct {
	journal.ClaimRow
	Verdict string
}

// newVerdict has the claims that somebody must look at first, then the other findings.
func newVerdict(r journal.Result) verdict {
	v := verdict{Whole: report.Summarise(r), Complete: r.Complete, Seconds: r.Seconds, Hint: r.Hint, Report: r.Run.ID != ""}
	for _, c := range r.Claims {
		v.Claims = append(v.Claims, verdictClaim{c, string(c.Outcome())})
	}
	slices.SortStableFunc(v.Claims, func(a, b verdictClaim) int { return urgency(b.Outcome()) - urgency(a.Outcome()) })
	return v
}

func urgency(v plan.ClaimVerdict) int {
	switch v {
	case plan.Contested, plan.Ambiguous:
		return 2
	case plan.Moved, plan.Wrong, plan.Answered:
		return 1
	}
	return 0
}

// Package live shows a run of a lab on a page in a browser while it goes on: its
// steps, what is expected of each beside what came, the verdicts, and what the nodes'
// rules and connections look like meanwhile.
//
// What the page tells of the run comes from the events of its journal and from
// nothing else, so a run that goes on here, one that another process does and one that
// has ended are shown by the same means. Samples of nodes are kept in memory and are
// no part of the run. What a guest printed is taken for hostile, as in reports: the
// server makes all markup, and the page's script only puts it in its place.
package live

import (
	_ "embed" // the page's parts
	"html/template"
	"sync"

	"labctl/internal/journal"
	"labctl/internal/lab"
	"labctl/internal/plan"
	"labctl/internal/report"
	"labctl/internal/sample"
)

//go:embed page/parts.html.tmpl
var partsSource string

// Page is a run as it is shown. Its methods may be called from several goroutines at
// once.
type Page struct {
	parts *template.Template
	board *board

	mu     sync.Mutex
	plans  map[journal.Phase]plan.Plan
	folder *journal.Folder
	events []journal.Event
	result journal.Result
	track  track
	nodes  []sample.Node
}

// New is the page of a run that has not begun.
func New() (*Page, error) {
	parts, err := report.Parts(partsSource)
	if err != nil {
		return nil, err
	}
	p := &Page{parts: parts, board: newBoard(), plans: map[journal.Phase]plan.Plan{}}
	return p, p.draw()
}

// Lab tells what the run is of, so that the page has the steps ahead, and what is
// expected of each before it runs. Without it, it has what the journal tells.
func (p *Page) Lab(l lab.Lab) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plans = map[journal.Phase]plan.Plan{journal.Steps: l.Steps, journal.Teardown: l.Teardown, journal.Repair: l.Repair}
	return p.draw()
}

// Folder tells where the run's streams are.
func (p *Page) Folder(f *journal.Folder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folder = f
}

// Events takes in what has happened since.
func (p *Page) Events(added []journal.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, added...)
	for _, e := range added {
		p.track.event(e)
	}
	p.result = journal.Fold(p.events)
	return p.draw()
}

// Nodes says whose rules and connections will be told, in which order.
func (p *Page) Nodes(names []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodes = nil
	for _, name := range names {
		p.nodes = append(p.nodes, sample.Node{Name: name})
	}
	return p.drawNodes()
}

// Node takes in what a node has shown. One that nobody announced is left out.
func (p *Page) Node(now sample.Node) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.nodes {
		if p.nodes[i].Name == now.Name {
			p.nodes[i] = now
		}
	}
	return p.drawNodes()
}

// End says that nothing more will come: browsers are told, and hang up.
func (p *Page) End() { p.board.end() }

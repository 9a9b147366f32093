// Package architecture holds the project to its own map: which package may
// import which, where a library has its one home, and a few rules of style that
// a compiler does not know. It has nothing but tests.
package architecture

import "slices"

// arrows says what each package may import of ours; an entry that ends in /...
// stands for a package and all below it. A package that is not here may not
// exist: its place in the map is the first thing to decide about it.
//
// They point one way, from the edge to the leaves. docs/design.md has the
// picture and the reasons.
var arrows = map[string][]string{
	// Leaves: values and ports.
	"internal/strictyaml":          {},
	"internal/strictyaml/yamltest": {},
	"internal/remote":              {},
	"internal/flock":               {},
	"internal/durable":             {},
	"internal/columns":             {},
	"internal/saves":               {},
	"internal/needtest":            {},
	"internal/packets":             {},
	"internal/xyplot":              {},
	"topology":                     {"internal/strictyaml", "internal/strictyaml/yamltest"},
	"internal/plan":                {"internal/remote", "internal/strictyaml", "internal/strictyaml/yamltest"},

	// Behind the port "connection".
	"internal/remote/ssh":        {"internal/remote"},
	"internal/remote/memory":     {"internal/remote"},
	"internal/remote/remotetest": {"internal/remote"},
	"internal/sample":            {"internal/remote"},

	// A lab is a file; a journal is what happened; the engine makes one of the other.
	"internal/lab":     {"internal/plan", "internal/strictyaml", "internal/strictyaml/yamltest", "topology"},
	"labs":             {"internal/journal", "internal/lab", "internal/labdoc", "internal/labrun", "internal/plan", "internal/remote", "internal/strictyaml", "topology"},
	"internal/journal": {"internal/plan", "internal/lab"},
	"internal/runner":  {"internal/journal", "internal/plan", "internal/remote", "internal/strictyaml"},

	// A lab's run, from its baseline to the proof that the cluster is as it was.
	"internal/restore": {"internal/durable", "internal/journal", "internal/remote"},
	"internal/labrun":  {"internal/journal", "internal/lab", "internal/plan", "internal/remote", "internal/restore", "internal/runner", "internal/strictyaml"},

	// For authors: a lab made of a write-up, and expectations of what a run has printed.
	"internal/draft":   {"internal/lab", "internal/strictyaml", "topology"},
	"internal/propose": {"internal/journal", "internal/lab", "internal/labrun", "internal/plan", "internal/remote", "internal/strictyaml"},

	// For readers: of a run, and of a lab.
	"internal/chart":   {"internal/packets"},
	"internal/compare": {"internal/journal", "internal/plan"},
	"internal/report":  {"internal/chart", "internal/columns", "internal/compare", "internal/durable", "internal/journal", "internal/needtest", "internal/plan", "internal/xyplot"},
	"internal/labdoc":  {"internal/columns", "internal/lab", "internal/plan"},
	"internal/live":    {"internal/journal", "internal/lab", "internal/labdoc", "internal/needtest", "internal/plan", "internal/report", "internal/sample"},

	// For readers of the project's documents: the site, and the documents' own tests.
	"internal/site": {},
	"docs":          {"internal/lab", "internal/plan", "internal/remote", "internal/site"},

	// The pair's life. It never sees a lab.
	"provision": {"internal/durable", "internal/flock", "internal/journal", "internal/plan", "internal/remote", "internal/remote/ssh", "internal/runner", "topology"},

	// Behind the port "hypervisor", and what it runs.
	"provision/libvirt":         {"provision", "internal/remote", "topology"},
	"provision/memory":          {"provision", "internal/remote", "topology"},
	"provision/hypervisortest":  {"provision", "internal/remote", "topology"},
	"provision/private":         {},
	"provision/private/...":     {"provision/private"},
	"provision/capacity":        {"topology"},
	"provision/image":           {"provision", "internal/flock"},
	"provision/image/guest/...": {},

	// Looks at the machine, changes nothing.
	"provision/doctor": {"provision", "provision/capacity", "provision/image", "provision/private", "topology"},

	// The edge.
	"cmd/labctl": {"internal/...", "topology", "labs", "provision/..."},

	"internal/architecture": {},

	// What a machine installs, and what runs it every night; tests alone.
	"packaging": {"internal/needtest"},
}

// homes says which packages may import a library, for those that have a home.
var homes = map[string][]string{
	"github.com/digitalocean/go-libvirt": {"provision/libvirt"},
	"libvirt.org/go":                     {"provision/libvirt"},
	// The second home: qemu+ssh:// reaches a hypervisor, not a node.
	"golang.org/x/crypto/ssh":                   {"internal/remote/ssh", "provision/libvirt"},
	"github.com/goccy/go-yaml":                  {"internal/strictyaml"},
	"github.com/jmespath-community/go-jmespath": {"internal/plan"},
	"sigs.k8s.io/yaml":                          {"cmd/labctl"},
	// Tests compare with another decoder.
	"go.yaml.in":                             {"internal/strictyaml", "internal/lab"},
	"github.com/spf13":                       {"cmd/labctl"},
	"github.com/yuin/goldmark":               {"internal/draft", "internal/site"},
	"github.com/fsnotify/fsnotify":           {"internal/saves"},
	"github.com/mattn/go-runewidth":          {"internal/columns"},
	"github.com/google/go-containerregistry": {"provision/image"},
	"gonum.org/v1/plot":                      {"internal/xyplot"},
}

// testOnly are libraries and packages that only tests import.
var testOnly = []string{
	"github.com/stretchr/testify",
	"github.com/rogpeppe/go-internal/testscript",
	"github.com/rogpeppe/go-internal/txtar",
	"github.com/santhosh-tekuri/jsonschema",
	"github.com/chromedp",
	"go.yaml.in",
	"internal/remote/memory",
	"provision/memory",
}

// poorNames say nothing about what is inside.
var poorNames = []string{
	"util", "utils", "common", "helper", "helpers", "manager", "types", "misc", "shared", "base", "core", "lib",
}

// maxLines is the most a file may have. Most have less than 250: one idea each.
const maxLines = 500

func isPoor(name string) bool { return slices.Contains(poorNames, name) }

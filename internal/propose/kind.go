package propose

import (
	"regexp"
	"strconv"
	"strings"

	"labctl/internal/journal"
)

// kind is something in output that is another the next time.
type kind struct {
	// find has one group: what is generalised.
	find *regexp.Regexp
	// is refuses what only looks like it; nil takes all. It sees what was found, and
	// the line before and behind it.
	is func(found, before, behind string) bool
	// pattern is what stands in its place, in RE2.
	pattern func(found string) string
	// wide says that it may be of another length the next time.
	wide bool
}

func fixed(pattern string) func(string) string { return func(string) string { return pattern } }

// random are the characters of names that Kubernetes makes up:
// k8s.io/apimachinery/pkg/util/rand.
const random = `bcdfghjklmnpqrstvwxz2456789`

// kinds in the order in which they are looked for: the longer before what may be
// a part of it.
func kinds() []kind {
	const number = `\d+`
	return []kind{
		{find: regexp.MustCompile(`(` + regexp.QuoteMeta(journal.Masked) + `)`), pattern: fixed(`.+`), wide: true},
		// Times: of date, of Kubernetes' APIs, of its logs, of a clock.
		{find: regexp.MustCompile(`\b([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?: [A-Z]{3,4})? \d{4})\b`), pattern: fixed(`[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8}(?: [A-Z]+)? \d{4}`)},
		{find: regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?)`), pattern: digits, wide: true},
		{find: regexp.MustCompile(`^[IWEF](\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+) `), pattern: fixed(`\d{4} [\d:.]+ +\d+`), wide: true},
		{find: regexp.MustCompile(`\b(\d{2}:\d{2}:\d{2}(?:\.\d+)?)\b`), is: noAddress, pattern: digits},
		// Names that are made up: UIDs, hashes, Pods, chains, interfaces.
		{find: regexp.MustCompile(`\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`), pattern: fixed(`[0-9a-f-]{36}`)},
		{find: regexp.MustCompile(`\b([0-9a-f]{12,64})\b`), is: mixed, pattern: func(s string) string { return `[0-9a-f]{` + strconv.Itoa(len(s)) + `}` }},
		{find: regexp.MustCompile(`[a-z0-9]-([` + random + `]{8,10}-[` + random + `]{5})\b`), is: mixed, pattern: fixed(`[a-z0-9]+-[a-z0-9]{5}`), wide: true},
		{find: regexp.MustCompile(`[a-z0-9]-([` + random + `]{8,10})\b`), is: mixed, pattern: fixed(`[a-z0-9]+`), wide: true},
		{find: regexp.MustCompile(`[a-z0-9]-([` + random + `]{5})\b`), is: madeUp, pattern: fixed(`[a-z0-9]{5}`)},
		{find: regexp.MustCompile(`\bKUBE-SEP-([A-Z2-7]{16})\b`), pattern: fixed(`[A-Z2-7]{16}`)},
		{find: regexp.MustCompile(`\bveth([0-9a-f]{6,})\b`), pattern: fixed(`[0-9a-f]+`)},
		{find: regexp.MustCompile(`\b((?:[0-9a-f]{2}:){5}[0-9a-f]{2})\b`), pattern: fixed(`[0-9a-f:]{17}`)},
		// Numbers: processes, counters, ports that the kernel chooses, measured times.
		{find: regexp.MustCompile(`\bpid[= ](\d+)\b`), pattern: fixed(number), wide: true},
		{find: regexp.MustCompile(`[A-Za-z)]\[(\d{2,})\]`), pattern: fixed(number), wide: true},
		{find: regexp.MustCompile(`\[(\d+:\d+)\]`), pattern: digits, wide: true},
		{find: regexp.MustCompile(`(?:\b[sd]?port=|[0-9][:.])(\d{5})\b`), is: ephemeral, pattern: fixed(number)},
		{find: regexp.MustCompile(`\b(?:seq|ack|val|ecr) (\d{4,}(?::\d+)?)\b`), pattern: digits, wide: true},
		{find: regexp.MustCompile(`\b(?:tcp +6|udp +17|icmp +1) (\d+) `), pattern: fixed(number), wide: true}, // what is left of an entry's time
		{find: regexp.MustCompile(`\bnf_conntrack_count = (\d+)$`), pattern: fixed(number)},
		{find: regexp.MustCompile(`\[( *\d+\.\d{6})\]`), pattern: fixed(` *\d+\.\d+`)},                                             // the kernel's clock
		{find: regexp.MustCompile(`^[a-z_:]+_(?:total|count|sum|bucket)(?:\{[^}]*\})? ([0-9.e+]+)$`), pattern: fixed(`[0-9.e+]+`)}, // counters of Prometheus
		{find: regexp.MustCompile(`\bmilliseconds=(\d+)\b`), pattern: fixed(number)},
		{find: regexp.MustCompile(`\b(?:expires|valid_lft|preferred_lft) (\d+)sec\b`), pattern: fixed(number), wide: true}, // what is left of a route's or an address's time
		{find: regexp.MustCompile(`\btime=(\d+(?:\.\d+)?) ms\b`), pattern: fixed(`[0-9.]+`), wide: true},                   // ping's, which has decimals or not
		{find: regexp.MustCompile(`\b(\d+\.\d{3,})\b`), is: noVersion, pattern: digits, wide: true},
		{find: regexp.MustCompile(`(?:^|[ (])((?:\d+(?:\.\d+)?(?:ms|us|µs|d|h|m|s))+)(?: ago\)|[ )]|$)`), is: column, pattern: fixed(`[0-9.a-zµ]+`), wide: true},
		// Addresses of Pods and Services on a pair; those of the nodes' bridges, of the
		// API server and of DNS are always the same.
		{find: regexp.MustCompile(`\b10\.244\.\d+\.(\d+)\b`), is: ofAPod, pattern: fixed(number), wide: true},
		{find: regexp.MustCompile(`\b(10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+)\b`), is: ofAService, pattern: digits, wide: true},
	}
}

var number = regexp.MustCompile(`\d+`)

// digits is a pattern of a text in which all numbers are any.
func digits(text string) string {
	return number.ReplaceAllString(regexp.QuoteMeta(text), `\d+`)
}

// mixed has letters and digits, as a hash has nearly always, and a word or a
// number has not.
func mixed(found, _, _ string) bool {
	return strings.ContainsAny(found, "0123456789") && strings.ContainsAny(found, "abcdefghijklmnopqrstuvwxyz")
}

// madeUp tells five random characters from a port and from the one word of
// networking that has no vowels.
func madeUp(found, _, _ string) bool {
	return found != "https" && strings.ContainsAny(found, "abcdefghijklmnopqrstuvwxyz")
}

func noAddress(_, before, behind string) bool {
	return !strings.HasSuffix(before, ":") && !strings.HasPrefix(behind, ":")
}

func noVersion(_, before, behind string) bool {
	return !strings.HasSuffix(before, ".") && !strings.HasPrefix(behind, ".") && !strings.HasSuffix(before, "v")
}

// ephemeral is net.ipv4.ip_local_port_range of a Linux that nobody has changed.
func ephemeral(found, _, _ string) bool {
	port, err := strconv.Atoi(found)
	return err == nil && port >= 32768 && port <= 60999
}

// column takes a duration in a table's column for an age, and one behind a key for
// a setting.
func column(_, before, behind string) bool {
	words := strings.Fields(before)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return strings.HasPrefix(behind, " ago)") || len(words)+len(strings.Fields(behind)) >= 2 && !strings.HasSuffix(last, ":") && !strings.HasSuffix(last, "=")
}

func ofAPod(found, _, behind string) bool {
	return len(found) > 1 || found > "1" && !strings.HasPrefix(behind, "/2")
}

func ofAService(found, _, behind string) bool {
	return !strings.HasPrefix(found, "10.96.0.") && !strings.HasPrefix(behind, "/1")
}

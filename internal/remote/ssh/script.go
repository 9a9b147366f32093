package ssh

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"labctl/internal/remote"
)

// How a script gets there. The command line that SSH carries is short and
// always the same but for numbers: one bash that reads, from its standard
// input, the variables and the script, both by length, and then evaluates them.
// So the text arrives byte for byte, is not bound to the kernel's 128 KiB for
// an argument, and costs one exec and no fork; what is left on standard input
// is the script's own. SSH's server has already made the session and process
// group of its own.
//
// Before the script, bash says a word of its own on both streams. Without it
// the script has not begun: what came instead is why (sudo wants a password,
// there is no bash). What came before it, such as the noise of a login file, is
// not the script's output.
const bootstrap = `IFS= read -r -N %[1]d labctl_e; IFS= read -r -N %[2]d labctl_s; ` +
	`[ "${#labctl_e}.${#labctl_s}" = %[1]d.%[2]d ] || exit 125; ` +
	`echo %[3]s; echo %[3]s >&2; %[4]s` +
	`eval "$labctl_e"; unset -v labctl_e; eval "unset -v labctl_s;$labctl_s"`

// script is what is sent for one command.
type script struct {
	id    string
	line  string    // the command line
	stdin io.Reader // what its bash reads
}

// defaults is the environment that every script has, unless told otherwise.
var defaults = map[string]string{
	"TZ":      "UTC",
	"TERM":    "dumb",
	"COLUMNS": "120",
	"PATH":    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}

func newScript(c remote.Command, id string, sudo bool) script {
	text, vars := c.Script, exports(defaults, c.Env)
	noStdin := ""
	if len(c.Stdin) == 0 {
		noStdin = "exec </dev/null; "
	}
	// In the C locale, bash counts bytes.
	set := "LC_ALL=C " + remote.Mark + "=" + id
	line := set + " exec bash"
	if sudo {
		line = set + " exec sudo -n env " + set + " bash"
	}
	// --norc: bash takes a socket as standard input for a remote login.
	line += " --noprofile --norc -c " + Quote(fmt.Sprintf(bootstrap, len(vars), len(text), started(id), noStdin)) + " bash"
	return script{
		id:    id,
		line:  line,
		stdin: io.MultiReader(strings.NewReader(vars), strings.NewReader(text), strings.NewReader(string(c.Stdin))),
	}
}

// started is the word that bash says before the script begins.
func started(id string) string { return "labctl-" + id }

// exports is bash that sets the variables, in the C locale: there, no byte of a
// value can be taken for a part of a character.
func exports(base, env map[string]string) string {
	all := maps.Clone(base)
	maps.Copy(all, env)
	var b strings.Builder
	b.WriteString("umask 022; unset -v LANGUAGE BASH_ENV ENV; export")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "LC_ALL" {
			b.WriteString(" " + name + "=" + Quote(all[name]))
		}
	}
	if lcAll, ok := env["LC_ALL"]; ok {
		b.WriteString("; export LC_ALL=" + Quote(lcAll))
	} else {
		b.WriteString(utf8)
	}
	return b.String()
}

// utf8 is bash that sets LC_ALL to C.UTF-8, or to C on a node that has no such
// locale, where every bash and perl would complain. It looks at how long é is.
const utf8 = "; { export LC_ALL=C.UTF-8; } 2>/dev/null; labctl_e=\xc3\xa9; [ ${#labctl_e} = 1 ] || export LC_ALL=C"

// Quote makes one word of s for a POSIX shell.
func Quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

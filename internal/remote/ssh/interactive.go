package ssh

import (
	"maps"
	"slices"
	"strings"

	"labctl/internal/remote"
)

// Interactive is a command for Shell: an interactive bash with the variables,
// PATH, time zone and locale that the command's script would have, as root if
// that would be. The terminal's name and size are the terminal's own, and the
// shell keeps no history on the node.
func (c *Conn) Interactive(cmd remote.Command) string {
	base := maps.Clone(defaults)
	delete(base, "TERM")
	delete(base, "COLUMNS")
	env := maps.Clone(cmd.Env)
	if env == nil {
		env = map[string]string{}
	}
	env[remote.Mark], env["HISTFILE"] = newID(), ""
	shell := "bash"
	if cmd.Root && c.target.User != "root" {
		// Names alone: a value in an argument could be read by every process there.
		names := slices.Sorted(maps.Keys(env))
		shell = "sudo -n --preserve-env=TZ,LC_ALL," + strings.Join(names, ",") + " bash"
	}
	return "LC_ALL=C exec bash --noprofile --norc -c " + Quote(exports(base, env)+"; unset -v labctl_e; exec "+shell+" -i")
}

package main

import "github.com/spf13/cobra"

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "labctl",
		Short: "Make networking write-ups run",
		Long: `labctl brings up a pair of virtual machines with a real Kubernetes cluster,
runs a lab on it as SSH steps with expected output, and puts the pair back.

Exit codes: 0 passed, 1 a check failed, 2 could not judge or could not be done,
3 judged but not restored, 4 nothing matched, 64 usage, 130 or 143 interrupted.

Environment: LABCTL_STATE moves the folder of pairs and runs, LABCTL_CACHE that
of golden images; LIBVIRT_DEFAULT_URI names a hypervisor as --hypervisor does.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{err, "see: " + cmd.CommandPath() + " --help"}
	})
	root.AddGroup(
		&cobra.Group{ID: "pair", Title: "The pair:"},
		&cobra.Group{ID: "node", Title: "On its nodes:"},
		&cobra.Group{ID: "lab", Title: "Labs:"},
		&cobra.Group{ID: "host", Title: "This machine:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"pair": {a.upCommand(), a.downCommand(), a.resetCommand(), a.statusCommand(), a.seatsCommand()},
		"node": {a.sshCommand(), a.execCommand(), a.consoleCommand(), a.kubectlCommand(), a.kubeconfigCommand(), a.sshConfigCommand(), a.logsCommand()},
		"lab":  {a.newCommand(), a.listCommand(), a.showCommand(), a.runCommand(), a.serveCommand(), a.teardownCommand(), a.claimsCommand(), a.judgeCommand(), a.watchCommand(), a.recordCommand(), a.reportCommand(), a.diffCommand(), a.historyCommand(), a.lintCommand(), a.docsCommand(), a.schemaCommand()},
		"host": {a.doctorCommand(), a.imageCommand(), a.versionCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.manCommand(root), a.dialCommand())
	return root
}

package main

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"labctl/internal/remote/ssh"
	"labctl/provision"
)

func (a *app) sshConfigCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:   "ssh-config",
		Short: "Print a configuration for OpenSSH's own client",
		Long: `Print stanzas for ssh, scp, rsync and editors: one host for each node, called
PAIR-NODE, reached through labctl, with its own key and its own known_hosts.`,
		Example: "  labctl ssh-config > pair.conf && scp -F pair.conf file pair-cp:",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := a.pairOrOnly(m.name)
			if err != nil {
				return err
			}
			dir, rec, err := a.record(name)
			if err != nil {
				return err
			}
			folders, err := a.folderSettings()
			if err != nil {
				return err
			}
			known := filepath.Join(dir, "known_hosts")
			if err := writeKnownHosts(known, rec, dir); err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding labctl itself: %w", err)
			}
			for _, n := range rec.Topology.Machines() {
				fmt.Fprintln(a.stdout, ssh.Stanza{
					Host: sshHost(name, n.Name), Address: netip.AddrPortFrom(n.Address, uint16(n.Port)), User: n.User,
					KeyFile: provision.LoginKeyFile(dir), KnownHosts: known,
					Proxy: fmt.Sprintf("env %s %s dial --name %s %s", folders, ssh.Quote(self), name, n.Name),
				})
			}
			return nil
		},
	}
	nameFlag(cmd, &m, onlyOne)
	return cmd
}

// folderSettings are the variables that make labctl find the same folders from
// another shell.
func (a *app) folderSettings() (string, error) {
	state, err := a.stateDir()
	if err != nil {
		return "", err
	}
	settings := "LABCTL_STATE=" + ssh.Quote(state)
	if a.getenv("LABCTL_CACHE") == "" {
		return settings, nil
	}
	cache, err := a.cacheDir()
	return settings + " LABCTL_CACHE=" + ssh.Quote(cache), err
}

// sshHost is the word after `ssh`.
func sshHost(pair, node string) string { return pair + "-" + node }

func writeKnownHosts(path string, rec provision.Record, dir string) error {
	var b strings.Builder
	for _, n := range rec.Topology.Machines() {
		key, err := provision.HostKey(dir, n)
		if err != nil {
			return err
		}
		line, err := ssh.KnownHost(sshHost(rec.Name, n.Name), key)
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, line)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("writing known hosts: %w", err)
	}
	return nil
}

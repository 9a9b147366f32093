package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"labctl/internal/remote"
	"labctl/provision"
)

// nodeLogs are what a support bundle asks of each node, by file name.
var nodeLogs = []struct{ file, script string }{
	{"journal.txt", "journalctl --no-pager -b | tail -n 5000"},
	{"kernel.txt", "dmesg"},
	{"processes.txt", "ps auxww"},
	{"units.txt", "systemctl list-units --all --no-pager"},
	{"network.txt", "ip address; ip route; ip neighbour; ss -tlnp"},
	{"firewall.txt", "iptables-save -c; echo; nft list ruleset"},
	{"containers.txt", "ctr -n k8s.io containers list; ctr -n k8s.io tasks list"},
	{"pods.txt", "KUBECONFIG=/etc/kubernetes/admin.conf kubectl get nodes,pods,events -A -o wide"},
}

func (a *app) logsCommand() *cobra.Command {
	var (
		m    meant
		file string
	)
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Collect a support bundle",
		Long: `Collect what helps to find out what is wrong with a pair into one archive: its
record, the consoles, and the nodes' journals, units, networks and Pods. Keys
are never in it. What cannot be fetched is named in the archive and left out.`,
		Args: noArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, rec, err := a.openPair(cmd.Context(), m.name, true)
			if c == nil {
				return err
			}
			if err != nil {
				// A bundle is needed most when things do not answer.
				c.Hypervisor = nil
				fmt.Fprintf(a.stderr, "%v; the bundle has what lies here\n", err)
			} else {
				defer c.Hypervisor.Close()
			}
			if file == "" {
				file = fmt.Sprintf("labctl-%s-%s.tar.gz", rec.Name, time.Now().UTC().Format("20060102T150405Z"))
			}
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return fmt.Errorf("writing support bundle: %w", err)
			}
			if err := a.bundle(cmd.Context(), c, rec, f); err != nil {
				return errors.Join(err, f.Close(), os.Remove(file))
			}
			if err := f.Close(); err != nil {
				return fmt.Errorf("writing support bundle: %w", err)
			}
			fmt.Fprintln(a.stdout, file)
			return nil
		},
	}
	nameFlag(cmd, &m, onlyOne)
	cmd.Flags().StringVar(&file, "file", "", "where to write it (default: a name with the time, here)")
	return cmd
}

// bundle writes the archive. Only a failure to write it is an error.
func (a *app) bundle(ctx context.Context, c *provision.Cluster, rec provision.Record, out io.Writer) error {
	zip := gzip.NewWriter(out)
	w := tar.NewWriter(zip)
	now := time.Now()
	add := func(name string, content []byte) error {
		h := &tar.Header{Name: filepath.Join("labctl-"+rec.Name, name), Mode: 0o600, Size: int64(len(content)), ModTime: now}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("writing support bundle: %w", err)
		}
		_, err := w.Write(content)
		return err
	}
	rec.Token = "" // opens the cluster to new nodes
	var status provision.Status
	if c.Hypervisor != nil {
		status, _ = c.Status(ctx, rec) // what went wrong is in it
	}
	text, err := json.MarshalIndent(map[string]any{"record": rec, "status": status}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing support bundle: %w", err)
	}
	if err := add("pair.json", text); err != nil {
		return err
	}
	own, err := filepath.Glob(filepath.Join(privateDir(c.Dir), "log", "*.log"))
	if err != nil {
		return fmt.Errorf("writing support bundle: %w", err)
	}
	for _, file := range own {
		content, err := os.ReadFile(file)
		if err != nil {
			content = []byte(err.Error())
		}
		if err := add("hypervisor/"+filepath.Base(file), content[max(0, len(content)-1<<20):]); err != nil {
			return err
		}
	}
	if c.Hypervisor != nil {
		if err := a.bundleNodes(ctx, c, add); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("writing support bundle: %w", err)
	}
	return zip.Close()
}

// bundleNodes adds what the nodes tell. One that does not let us in is asked
// once.
func (a *app) bundleNodes(ctx context.Context, c *provision.Cluster, add func(string, []byte) error) error {
	nodes := c.NewNodes()
	defer nodes.Close()
	for _, n := range c.Topology.Machines() {
		console, err := c.Console(ctx, n.Name)
		if err != nil {
			console = []byte(err.Error())
		}
		if err := add(n.Name+"/console.txt", console); err != nil {
			return err
		}
		if err := reach(ctx, nodes, n.Name); err != nil {
			if err := add(n.Name+"/unreachable.txt", []byte(err.Error())); err != nil {
				return err
			}
			continue
		}
		for _, l := range nodeLogs {
			if err := add(n.Name+"/"+l.file, fetch(ctx, nodes, n.Name, l.script)); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach opens a node's channel, with a limit.
func reach(ctx context.Context, nodes *provision.Nodes, node string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_, err := nodes.Conn(ctx, node)
	return err
}

// fetch runs a script on a node and returns all it said, errors included.
func fetch(ctx context.Context, nodes *provision.Nodes, node, script string) []byte {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := nodes.Conn(ctx, node)
	if err != nil {
		return []byte(err.Error())
	}
	out, err := conn.Run(ctx, remote.Command{Script: script, Root: true})
	if err != nil {
		return []byte(err.Error())
	}
	return append(out.Stdout, out.Stderr...)
}

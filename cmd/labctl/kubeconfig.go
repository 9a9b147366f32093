package main

import (
	"context"

	"github.com/spf13/cobra"

	"labctl/provision"
	"labctl/topology"
)

func (a *app) kubeconfigCommand() *cobra.Command {
	var m meant
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the pair's kubeconfig",
		Long: `Print the administrator's kubeconfig of the pair's cluster. It names the control
plane by its address on the pair's network. With a private hypervisor that
network is not reachable from here: use "labctl kubectl" instead.`,
		Args: noArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := a.openPair(cmd.Context(), m.name, true)
			if err != nil {
				return err
			}
			defer c.Hypervisor.Close()
			content, err := a.kubeconfig(cmd.Context(), c)
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(content)
			return err
		},
	}
	nameFlag(cmd, &m, onlyOne)
	return cmd
}

func (a *app) kubeconfig(ctx context.Context, c *provision.Cluster) ([]byte, error) {
	cp, err := controlPlane(c)
	if err != nil {
		return nil, err
	}
	nodes := c.NewNodes()
	defer nodes.Close()
	conn, err := nodes.Conn(ctx, cp.Name)
	if err != nil {
		return nil, err
	}
	return conn.Get(ctx, provision.Home(cp.User)+"/.kube/config")
}

func controlPlane(c *provision.Cluster) (topology.Node, error) {
	for _, n := range c.Topology.Machines() {
		if n.Role == topology.ControlPlane {
			return n, nil
		}
	}
	return topology.Node{}, usagef(`only pairs with "provision: pair" have one`, "finding the control plane of pair %q: there is none", c.Name)
}

// Package provision is the life of a pair: up, checkpoint, reset, down, status.
//
// It turns a topology into the few objects a hypervisor holds, runs the
// provisioning plan on the nodes, and takes everything away again. It never
// sees a lab.
package provision

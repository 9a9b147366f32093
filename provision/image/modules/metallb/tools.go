//go:build tools

// Package metallb pins the load balancer of the golden image.
package metallb

import (
	_ "go.universe.tf/metallb/controller"
	_ "go.universe.tf/metallb/speaker"
)

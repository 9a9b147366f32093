//go:build tools

// Package coredns pins the cluster's name server of the golden image.
package coredns

import (
	_ "github.com/coredns/coredns"
)

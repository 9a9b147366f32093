//go:build tools

// Package etcd pins the key-value store of the golden image.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3"
)

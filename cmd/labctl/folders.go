package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// stateDir is the folder of pairs and runs: LABCTL_STATE, or labctl under the
// XDG state folder.
func (a *app) stateDir() (string, error) {
	return a.folder("LABCTL_STATE", "XDG_STATE_HOME", ".local/state")
}

// cacheDir is the folder of golden images: LABCTL_CACHE, or labctl under the
// XDG cache folder. Everything in it can be made again.
func (a *app) cacheDir() (string, error) {
	return a.folder("LABCTL_CACHE", "XDG_CACHE_HOME", ".cache")
}

func (a *app) folder(own, xdg, fallback string) (string, error) {
	if dir := a.getenv(own); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := a.getenv(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "labctl"), nil
	}
	home := a.getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", fmt.Errorf("finding home folder for %s: %w", own, err)
		}
	}
	return filepath.Join(home, fallback, "labctl"), nil
}

// A pair's name becomes part of domain names and of paths.
var pairName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$`)

// pairDir is a pair's own folder.
func (a *app) pairDir(name string) (string, error) {
	if !pairName.MatchString(name) {
		return "", usagef("use lower-case letters, digits and dashes, at most 20 characters, a letter first", "naming a pair %q", name)
	}
	state, err := a.stateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "pairs", name), nil
}

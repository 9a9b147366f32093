package main

import (
	"errors"
	"os"
	"strings"

	"labctl/provision"
	"labctl/topology"
)

// hostsExist refuses to do to hosts what only a pair of labctl's own may suffer.
func hostsExist(doing, name, file string) error {
	return usagef("labs run on it as it is: labctl run LAB --topology "+file, "%s topology %q: its hosts exist already", doing, name)
}

// refuseHosts refuses a verb that changes or removes nodes where its argument
// means hosts that exist already: the path of their topology, or the name of a
// folder that labs on them have made. It refuses the path of any other topology
// too, since there may be several pairs of it.
func (a *app) refuseHosts(doing, word string) error {
	if topology.IsPath(word) {
		t, err := topology.Load(word)
		if err != nil {
			return err
		}
		if t.Hosts {
			return hostsExist(doing, t.Name, word)
		}
		return usagef("name the pair: its topology's name, or the one given to `labctl up --name`; labctl status lists them",
			"%s %q: that is a file, not the name of a pair", doing, word)
	}
	if word == "" {
		return nil
	}
	dir, err := a.pairDir(word)
	if err != nil {
		return err
	}
	if onlyHosts(dir) {
		return hostsExist(doing, word, "FILE")
	}
	return nil
}

// onlyHosts tells whether a folder was made by labs on hosts alone: a pair's has
// a record before anything else is done, and more than a lock after.
func onlyHosts(dir string) bool {
	if _, err := provision.ReadRecord(dir); !errors.Is(err, provision.ErrNotFound) {
		return false
	}
	if !strings.HasPrefix(provision.LastHolder(dir).Doing, "run ") {
		return false
	}
	_, err := os.Stat(provision.LoginKeyFile(dir))
	return errors.Is(err, os.ErrNotExist)
}

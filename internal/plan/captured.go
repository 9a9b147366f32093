package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Captured are the values that the nodes of a step have found, where all that
// found one agree. The error names the others.
func Captured(outcomes map[string]Outcome) (map[string]string, error) {
	found := map[string]string{}
	first := map[string]string{} // which node found a value first
	differ := map[string]error{}
	for _, node := range slices.Sorted(maps.Keys(outcomes)) {
		for name, value := range outcomes[node].Captured {
			switch before, ok := found[name]; {
			case !ok:
				found[name], first[name] = value, node
			case value != before && differ[name] == nil:
				differ[name] = fmt.Errorf("capturing %s: %q on node %q, %q on node %q", name, before, first[name], value, node)
			}
		}
	}
	var errs error
	for _, name := range slices.Sorted(maps.Keys(differ)) {
		delete(found, name)
		errs = errors.Join(errs, differ[name])
	}
	return found, errs
}

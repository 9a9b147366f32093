package main

import (
	"errors"
	"strings"

	"labctl/internal/labrun"
	"labctl/labs"
)

// settle checks what was asked for before anything is done.
func (o *runOptions) settle(names []string) error {
	switch {
	case len(names) == 0 && !o.all:
		return usagef("name one of: "+strings.Join(labs.Names(), ", ")+"; or a path, or --all", "choosing labs: none is named")
	case len(names) > 0 && o.all:
		return usagef("leave out one of them", "choosing labs: both --all and names")
	}
	chosen := o.From != "" || o.Until != "" || len(o.Only) > 0
	if chosen && (len(names) > 1 || o.all) {
		return usagef("run one lab at a time with --from, --until and --only", "choosing steps of %d labs", max(2, len(names)))
	}
	if len(o.acts) > 0 && (!o.sabotage || len(names) != 1) {
		return usagef("labctl run LAB --sabotage --acts "+strings.Join(o.acts, ","), "choosing acts: they are those of one lab, with --sabotage")
	}
	if o.record && (len(names) != 1 || o.sabotage || o.Drill != "" || o.Led || o.output == jsonOutput) {
		return usagef("run one lab with --record, and without --step, --sabotage, --drill and -o json", "recording what a run has shown")
	}
	if err := errors.Join(o.settleLed(names), o.settleDrill(names)); err != nil {
		return err
	}
	if err := oneOf("output", o.output, plainOutput, jsonOutput); err != nil {
		return err
	}
	if err := oneOf("keep", o.keep, string(labrun.KeepNever), string(labrun.KeepOnFailure), string(labrun.KeepAlways)); err != nil {
		return err
	}
	o.Keep = labrun.Keep(o.keep)
	o.Vars = map[string]string{}
	for _, v := range o.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return usagef("--var NAME=VALUE", "reading --var %q", v)
		}
		o.Vars[name] = value
	}
	return nil
}

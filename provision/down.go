package provision

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// Down removes everything of the pair: domains with their checkpoints, volumes,
// the pool, the network, and last the folder. Each is tried whatever became of
// the others. Removing what is gone is no error.
//
// What is there is asked of the hypervisor, by its metadata, and of the record:
// either alone is enough.
func (c *Cluster) Down(ctx context.Context) error {
	unlock, err := Lock(c.Dir, c.Name, "down "+c.Name)
	if err != nil {
		return err
	}
	defer unlock()
	var errs *multierror.Error
	objects, err := c.Hypervisor.Objects(ctx, c.Name)
	errs = multierror.Append(errs, err)
	if rec, err := ReadRecord(c.Dir); err == nil {
		objects = union(objects, rec.Objects)
	}
	for _, o := range objects {
		if err := c.Hypervisor.Remove(ctx, o); err != nil {
			errs = multierror.Append(errs, err)
			continue
		}
		c.say(fmt.Sprintf("removed %s %q", o.Kind, o.Name))
	}
	left, err := c.Hypervisor.Objects(ctx, c.Name)
	errs = multierror.Append(errs, err)
	if len(left) > 0 || errs.ErrorOrNil() != nil {
		return &LeftError{Pair: c.Name, Left: left, Cause: errs.ErrorOrNil()}
	}
	return nil
}

// Forget removes the pair's folder; the last act of a down.
func Forget(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing folder of pair: %w", err)
	}
	return nil
}

// LeftError says what of a pair is still there.
type LeftError struct {
	Pair  string
	Left  []Object
	Cause error
}

func (e *LeftError) Error() string {
	var names []string
	for _, o := range e.Left {
		names = append(names, fmt.Sprintf("%s %q", o.Kind, o.Name))
	}
	if len(names) == 0 {
		return fmt.Sprintf("taking down pair %q: %v", e.Pair, e.Cause)
	}
	return fmt.Sprintf("taking down pair %q: left are %s: %v", e.Pair, strings.Join(names, ", "), e.Cause)
}

func (e *LeftError) Unwrap() error { return e.Cause }

// Hint says how to go on.
func (e *LeftError) Hint() string {
	return fmt.Sprintf("mend the cause and run `labctl down %s` again", e.Pair)
}

// union appends to a the objects of b that are not in it, keeping the order of
// removal: domains, volumes, pools, networks.
func union(a, b []Object) []Object {
	var all []Object
	for _, kind := range []Kind{KindDomain, KindVolume, KindPool, KindNetwork} {
		seen := map[Object]bool{}
		for _, o := range append(append([]Object(nil), a...), b...) {
			if o.Kind == kind && !seen[o] {
				seen[o] = true
				all = append(all, o)
			}
		}
	}
	return all
}

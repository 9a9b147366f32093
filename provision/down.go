package provision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"
)

// Down removes everything of the pair: first what remove removes (RemoveObjects,
// or a private hypervisor with all that is in it), last the folder. The caller
// holds the pair's Lock, which goes with the folder.
func (c *Cluster) Down(ctx context.Context, remove func(context.Context) error) error {
	if rec, err := ReadRecord(c.Dir); err == nil {
		if _, err := rec.unready(c.Dir); err != nil {
			return err
		}
	}
	if err := remove(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		return fmt.Errorf("removing folder of pair %q: %w", c.Name, err)
	}
	return nil
}

// removeLimit is how long RemoveObjects may take altogether. An object goes in a
// second; a daemon that has stopped answering costs each call its own limit.
const removeLimit = 2 * time.Minute

// RemoveObjects removes the pair's objects from the hypervisor: domains with
// their checkpoints, volumes, the pool, the network. Each is tried whatever
// became of the others. Removing what is gone is no error.
//
// What is there is asked of the hypervisor, by its metadata, and of the record:
// either alone is enough.
func (c *Cluster) RemoveObjects(ctx context.Context) error {
	if c.Owner == "" {
		return nil // it never had a record, so nothing was made
	}
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	var errs *multierror.Error
	there, err := c.Hypervisor.Objects(ctx, c.Owner)
	errs = multierror.Append(errs, err)
	objects := there
	if rec, err := ReadRecord(c.Dir); err == nil {
		objects = union(objects, rec.Objects)
	}
	for _, o := range objects {
		err := c.Hypervisor.Remove(ctx, o)
		switch {
		case errors.Is(err, ErrForeign) && !slices.Contains(there, o):
			// It was never made: somebody else's has its name.
		case err != nil:
			errs = multierror.Append(errs, err)
		case slices.Contains(there, o):
			c.say(fmt.Sprintf("removed %s %q", o.Kind, o.Name))
		}
	}
	left, err := c.Hypervisor.Objects(ctx, c.Owner)
	errs = multierror.Append(errs, err)
	if len(left) > 0 || errs.ErrorOrNil() != nil {
		return &LeftError{Pair: c.Name, Left: left, Cause: errs.ErrorOrNil()}
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

package provision

import "fmt"

// ForeignError is an ErrForeign that names the object and whose it is. Every
// hypervisor returns it.
type ForeignError struct {
	Kind Kind
	Name string
	// Holder is the other owner, if it is one of labctl's; empty if labctl did
	// not make the object.
	Holder string
}

func (e *ForeignError) Error() string {
	if e.Holder != "" {
		return fmt.Sprintf("%s %q belongs to %q", e.Kind, e.Name, e.Holder)
	}
	return fmt.Sprintf("%s %q was not made by labctl", e.Kind, e.Name)
}

func (e *ForeignError) Unwrap() error { return ErrForeign }

// Hint says what the user may do; labctl will not.
func (e *ForeignError) Hint() string {
	if e.Holder != "" {
		return fmt.Sprintf("another labctl made %q; give your pair another name with --name", e.Name)
	}
	list := map[Kind]string{KindDomain: "dumpxml", KindNetwork: "net-dumpxml", KindPool: "pool-dumpxml", KindVolume: "vol-dumpxml"}[e.Kind]
	return fmt.Sprintf("look at it (virsh %s %s) and rename or remove it yourself", list, e.Name)
}

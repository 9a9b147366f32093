package libvirt

import (
	"encoding/xml"
	"fmt"

	"labctl/provision"
	"labctl/topology"
)

// Namespace of our element in the metadata of domains and networks.
const Namespace = "urn:labctl:object:1"

// mark says whose an object is. It is what `virsh metadata DOMAIN
// urn:labctl:object:1` prints.
type mark struct {
	Owner       string `xml:"owner,attr"`
	Role        string `xml:"role,attr"`
	Fingerprint string `xml:"fingerprint,attr,omitempty"`
	Hostname    string `xml:"hostname,attr,omitempty"`
}

// element is the mark as libvirt keeps it.
func (m mark) element() (string, error) {
	out, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"labctl:object"`
		Xmlns   string   `xml:"xmlns:labctl,attr"`
		mark
	}{Xmlns: Namespace, mark: m})
	return string(out), err
}

// readElement reads the mark that libvirt found by our namespace. It takes the
// namespace off the element before it hands it out.
func readElement(element string) mark {
	var m mark
	if xml.Unmarshal([]byte(element), &m) != nil {
		return mark{}
	}
	return m
}

// readMark finds our element in what stands inside <metadata>; the zero mark if
// there is none.
func readMark(metadata string) mark {
	var doc struct {
		Objects []struct {
			XMLName xml.Name
			mark
		} `xml:",any"`
	}
	if xml.Unmarshal([]byte("<metadata>"+metadata+"</metadata>"), &doc) != nil {
		return mark{}
	}
	for _, o := range doc.Objects {
		if o.XMLName.Space == Namespace && o.XMLName.Local == "object" {
			return o.mark
		}
	}
	return mark{}
}

// foreign names an object that is in our way.
func foreign(kind provision.Kind, name, holder string) error {
	return &provision.ForeignError{Kind: kind, Name: name, Holder: holder}
}

// differs says that an object of ours is not what is asked for now.
func differs(kind provision.Kind, name, what, have, want string) error {
	return &DiffersError{Kind: kind, Name: name, What: what, Have: have, Want: want}
}

// DiffersError is a provision.ErrDiffers that names the difference.
type DiffersError struct {
	Kind             provision.Kind
	Name             string
	What, Have, Want string
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("%s %q has %s %q, wanted is %q", e.Kind, e.Name, e.What, e.Have, e.Want)
}

func (e *DiffersError) Unwrap() error { return provision.ErrDiffers }

// Hint says how to get there.
func (e *DiffersError) Hint() string {
	return "it stems from another version of the topology or image: take the pair down and up again"
}

// derivedUUID is the same for the same object: a second define is the same
// object, and a pool, which has no metadata, is ours if it carries it.
func derivedUUID(kind provision.Kind, owner, name string) string {
	return topology.UUID(owner, string(kind), name)
}

package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"time"

	"labctl/internal/journal"
)

// The elements of a JUnit document, in the order in which the strictest of its
// schemas wants them. No field is tagged cdata: encoding/xml writes such a field
// unescaped, and a guest's ESC would make the whole file unreadable.
type junitDocument struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`

	milliseconds int64
}

type junitSuite struct {
	ID         int              `xml:"id,attr"`
	Name       string           `xml:"name,attr"`
	Package    string           `xml:"package,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Timestamp  string           `xml:"timestamp,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`

	started time.Time
}

type junitProperties struct {
	Properties []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *junitSkipped `xml:"skipped"`
	Error   *junitOutcome `xml:"error"`
	Failure *junitOutcome `xml:"failure"`
	Out     *junitText    `xml:"system-out"`

	milliseconds int64
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitOutcome struct{ Message, Type, Text string }

type junitText struct{ Text string }

// MarshalXML writes attributes and text.
func (o junitOutcome) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	start.Attr = []xml.Attr{{Name: xml.Name{Local: "message"}, Value: o.Message}, {Name: xml.Name{Local: "type"}, Value: o.Type}}
	return element(e, start, o.Text)
}

// MarshalXML writes text.
func (t junitText) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return element(e, start, t.Text)
}

// element writes text as a token: a field tagged chardata has &#xA; for each
// newline, which nobody likes to read.
func element(e *xml.Encoder, start xml.StartElement, text string) error {
	return errors.Join(e.EncodeToken(start), e.EncodeToken(xml.CharData(text)), e.EncodeToken(start.End()))
}

// add appends a suite with its sums; one without cases is left out.
func (d *junitDocument) add(r journal.Result, s junitSuite) {
	if len(s.Cases) == 0 {
		return
	}
	s.ID = len(d.Suites)
	s.Package = visible(lab(r))
	s.Tests = len(s.Cases)
	s.Timestamp = stamp(s.started)
	var sum int64
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Time = decimal(c.milliseconds)
		sum += c.milliseconds
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	s.Time = decimal(sum)
	if s.ID == 0 {
		s.Properties = properties(r)
	}
	d.Tests += s.Tests
	d.Failures += s.Failures
	d.Errors += s.Errors
	d.milliseconds += sum
	d.Suites = append(d.Suites, s)
}

func (d *junitDocument) finish() { d.Time = decimal(d.milliseconds) }

// properties say what the run was made on.
func properties(r journal.Result) *junitProperties {
	var p junitProperties
	for _, f := range facts(r) {
		p.Properties = append(p.Properties, junitProperty{f.Name, line(f.Value, 400)})
	}
	if p.Properties == nil {
		return nil
	}
	return &p
}

// decimal is seconds, with a point and nothing between thousands.
func decimal(milliseconds int64) string {
	return fmt.Sprintf("%d.%03d", milliseconds/1000, milliseconds%1000)
}

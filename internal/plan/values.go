package plan

// values puts variables in place and keeps the first that is missing.
type values struct {
	vars map[string]string
	// written leaves everything as it is in the file, to say a check in words
	// before there are values.
	written bool
	err     error
}

func (v *values) text(t *Template) string {
	if v.written {
		return t.Text
	}
	text, err := t.Expand(v.vars)
	v.keep(err)
	return text
}

func (v *values) pattern(p *Pattern) *Pattern {
	if v.written {
		return p
	}
	with, err := p.With(v.vars)
	v.keep(err)
	if err != nil {
		return p
	}
	return &with
}

func (v *values) keep(err error) {
	if v.err == nil {
		v.err = err
	}
}

package plan

import (
	"fmt"

	"labctl/internal/strictyaml"
)

// origin is where a name is from: a place, and the row of a table that made it
// there, or 0.
type origin struct {
	pos strictyaml.Pos
	row int
}

// id holds the id of a step or a table to being a word of its own.
func (b *Builder) id(id at[string]) {
	if !word.MatchString(id.Value) {
		b.Slips.Addf(id.Pos, "id %q%s must be %s", id.Value, b.ofRow(), wordWords)
	}
	b.take(&b.ids, "id", id)
}

// take notes a name that must be the only one of its kind.
func (b *Builder) take(names *map[string]origin, kind string, name at[string]) {
	if *names == nil {
		*names = map[string]origin{}
	}
	first, dup := (*names)[name.Value]
	switch {
	case !dup:
		own := origin{pos: name.Pos}
		if b.row != nil {
			own.row = b.row.Number
		}
		(*names)[name.Value] = own
	case b.row != nil && first.row > 0 && first.pos == name.Pos:
		b.Slips.Addf(name.Pos, "%s %q is made by the rows %d and %d of table %q: write into it what tells them apart, such as ${%s}",
			kind, name.Value, first.row, b.row.Number, b.row.Table, b.row.apart)
	default:
		b.Slips.Addf(name.Pos, "%s %q%s is taken in line %d", kind, name.Value, b.ofRow(), first.pos.Line)
	}
}

// ofRow names the row at hand behind a name that it has made.
func (b *Builder) ofRow() string {
	if b.row == nil {
		return ""
	}
	return fmt.Sprintf(" of row %d", b.row.Number)
}

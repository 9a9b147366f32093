package labrun

import (
	"maps"

	"labctl/internal/journal"
	"labctl/internal/lab"
)

// Tables lists all tables of a lab with the steps that each row has become.
func Tables(l lab.Lab) []journal.TableInfo {
	var all []journal.TableInfo
	for _, p := range l.Plans() {
		for _, t := range p.Tables {
			info := journal.TableInfo{ID: t.ID, Title: t.Title, Columns: t.Columns, Captures: t.Captures, Plot: t.Plot}
			for _, row := range t.Rows {
				one := journal.RowInfo{Values: maps.Clone(row.Vars)}
				for _, s := range p.Steps {
					if s.Row == row {
						one.Steps = append(one.Steps, s.ID)
					}
				}
				info.Rows = append(info.Rows, one)
			}
			all = append(all, info)
		}
	}
	return all
}

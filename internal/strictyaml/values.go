package strictyaml

import "fmt"

// Pos is a place in a file. Line and Column count from 1, columns in
// characters.
type Pos struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// At is a value and where it stands.
type At[T any] struct {
	Value T
	Pos   Pos
}

func (a *At[T]) place(p Pos) any {
	a.Pos = p
	return &a.Value
}

// Words is one word, or a list of words.
type Words []At[string]

// Entry is one key of Entries with its value.
type Entry[T any] struct {
	Key   At[string]
	Value T
}

// Entries is a mapping whose keys are free, in the order of the file.
type Entries[T any] []Entry[T]

func (e *Entries[T]) add(key At[string]) any {
	*e = append(*e, Entry[T]{Key: key})
	return &(*e)[len(*e)-1].Value
}

// The shapes that the decoder asks for behind the generic types above.
type (
	placer interface{ place(Pos) any }
	adder  interface{ add(At[string]) any }
)

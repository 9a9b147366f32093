package plan

// String says in words what the check asserts, with its variables as ${NAME}.
func (c Check) String() string { return c.words() }

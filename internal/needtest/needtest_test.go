package needtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tester is a test that notes how it ended, and ends by a panic.
type tester struct {
	testing.TB
	said string
}

func (t *tester) Fatalf(text string, of ...any) { t.ends("failed: "+text, of...) }
func (t *tester) Skipf(text string, of ...any)  { t.ends("skipped: "+text, of...) }

func (t *tester) ends(text string, of ...any) {
	t.said = fmt.Sprintf(text, of...)
	panic(t)
}

func TestProgram(t *testing.T) {
	ask := func(name string) (path, said string) {
		fake := &tester{TB: t}
		defer func() {
			_ = recover()
			said = fake.said
		}()
		return Program(fake, name), ""
	}
	path, said := ask("sh")
	assert.NotEmpty(t, path)
	assert.Empty(t, said)
	t.Setenv("CI", "")
	_, said = ask("no-such-program")
	assert.Equal(t, "skipped: needs no-such-program: install it with `make test-deps`, as `make test` does; where CI runs its absence is a failure", said)
	t.Setenv("CI", "true")
	_, said = ask("no-such-program")
	assert.Equal(t, "failed: no-such-program is not there: install it with `make test-deps`, as `make test` does", said)
}

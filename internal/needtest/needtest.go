// Package needtest says what becomes of a test that needs something which is not
// there: a browser, systemd's checker, the package that `make dist` makes.
package needtest

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program that `make test-deps` installs.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, "install it with `make test-deps`")
	}
	return path
}

// Missing ends a test for want of something that `make test` provides: how says by
// what. The test is skipped, but fails where CI runs (CI is set), since what is
// skipped there is never run.
func Missing(t testing.TB, what, how string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not there: %s, as `make test` does", what, how)
	}
	t.Skipf("needs %s: %s, as `make test` does; where CI runs its absence is a failure", what, how)
}

package private

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// ensureIn makes the test binary call Ensure on that directory and end: the
// caller that can be killed.
const ensureIn = "LABCTL_TEST_ENSURE_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ensureIn); dir != "" {
		d, err := Ensure(context.Background(), dir, Options{})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(d.PID)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

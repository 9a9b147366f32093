package private

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// These make the test binary call a function and end: the caller that can be
// killed, or that runs elsewhere. The first two hold a directory.
const (
	ensureIn  = "LABCTL_TEST_ENSURE_IN"
	stopIn    = "LABCTL_TEST_STOP_IN"
	askLinger = "LABCTL_TEST_ASK_LINGER"
)

func TestMain(m *testing.M) {
	if os.Getenv(ensureIn)+os.Getenv(stopIn)+os.Getenv(askLinger) == "" {
		os.Exit(m.Run())
	}
	word, err := play()
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, word)
}

func play() (word any, err error) {
	ctx := context.Background()
	if dir := os.Getenv(ensureIn); dir != "" {
		d, err := Ensure(ctx, dir, Options{})
		if err != nil {
			return nil, err
		}
		return d.PID, nil
	}
	if dir := os.Getenv(stopIn); dir != "" {
		return "stopped", Stop(ctx, dir)
	}
	return deadLinger(), nil
}

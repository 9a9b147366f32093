package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"labctl/provision/image"
)

// goldenImage looks whether the image is there and, with Deep, intact.
func goldenImage(_ context.Context, s survey) []Finding {
	var missing *image.NotBuiltError
	switch {
	case errors.As(s.imageErr, &missing):
		return note(fmt.Sprintf("%s is not built yet", missing.Variant), missing.Hint())
	case s.imageErr != nil:
		return bad(oneLine(s.imageErr.Error()), hintOf(s.imageErr, "labctl image build"))
	}
	again := fmt.Sprintf("labctl down the pairs on it, then: rm -r %s && labctl image build", s.image.Dir)
	for _, file := range []string{s.image.Disk, s.image.Kernel, s.image.Initrd} {
		if err := s.intact(file, file == s.image.Disk); err != nil {
			return bad(fmt.Sprintf("image %s: %v", s.image.ID, err), hintOf(err, again))
		}
	}
	text := fmt.Sprintf("%s: %s", s.image.ID, s.image.Variant)
	if !s.Deep {
		return ok(text + " (checksums with --deep)")
	}
	if err := s.Verify(s.verifying, s.image); err != nil {
		return bad(oneLine(err.Error()), again)
	}
	return ok(text + ", checksums as built")
}

// intact is the quick look: the file is there, has content of its kind, and the
// user that guests run as may read it.
func (s survey) intact(path string, qcow2 bool) error {
	file, err := os.Open(s.path(path))
	var cause *fs.PathError
	if errors.As(err, &cause) {
		return fmt.Errorf("opening %q: %w", path, cause.Err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if s.private() && info.Mode().Perm()&0o004 == 0 {
		return closedError(path)
	}
	magic := make([]byte, 4)
	if _, err := io.ReadFull(file, magic); err != nil {
		return fmt.Errorf("reading %q: it is cut short", path)
	}
	if qcow2 && string(magic) != "QFI\xfb" {
		return fmt.Errorf("reading %q: it is no qcow2 file", path)
	}
	return nil
}

// closedError is a file that only its owner may read.
type closedError string

func (e closedError) Error() string {
	return fmt.Sprintf("reading %q: guests' user may not", string(e))
}
func (e closedError) Hint() string { return "chmod a+r " + string(e) }

// goToolchain looks for the compiler that images are built with.
func goToolchain(ctx context.Context, s survey) []Finding {
	want := strings.TrimPrefix(s.Pins.Go, "go")
	get := "install Go " + want + " or newer: https://go.dev/doc/install"
	path, found := s.find("go", s.Getenv("PATH"))
	if !found {
		return at(s.forImage(), "not in PATH; building an image needs "+want, get)
	}
	text, err := s.Run(ctx, s.path(path), "version")
	have := versionPattern.FindString(text)
	switch {
	case err != nil || have == "":
		return at(s.forImage(), path+" does not tell its version", get)
	case compareVersions(have, "1.21") < 0:
		return at(s.forImage(), fmt.Sprintf("%s is too old to fetch %s by itself", have, want), get)
	case have != want && strings.HasPrefix(s.Getenv("GOTOOLCHAIN"), "local"):
		return at(s.forImage(), fmt.Sprintf("%s, images need %s, and GOTOOLCHAIN=local forbids fetching it", have, want), "unset GOTOOLCHAIN")
	case have != want:
		return ok(fmt.Sprintf("%s; it fetches %s for images by itself", have, want))
	}
	return ok(have)
}

// clock looks for a clock that is plainly wrong: certificates would not be
// valid yet, and the archive's signatures neither.
func clock(_ context.Context, s survey) []Finding {
	now, pinned := s.Now().UTC(), time.Unix(s.Pins.Epoch, 0).UTC()
	if now.Before(pinned) {
		return bad(fmt.Sprintf("it says %s, before the image's packages were pinned (%s)", now.Format(time.DateTime), pinned.Format(time.DateTime)),
			"set it: timedatectl set-ntp true")
	}
	return ok(now.Format(time.DateTime) + " UTC")
}

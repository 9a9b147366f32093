package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"labctl/provision/image"
)

// versionInfo is what `labctl version -o json` prints; docs/formats.md has the
// keys.
type versionInfo struct {
	// Version is the module's: a tag, or the time and commit since the last one.
	// "(devel)" where the build was told not to look.
	Version string `json:"version"`
	// Commit is whole, in hexadecimal; Modified says that files differed from it,
	// and Date is the commit's, not the build's.
	Commit   string     `json:"commit,omitempty"`
	Modified bool       `json:"modified"`
	Date     *time.Time `json:"date,omitempty"`
	// Go is the compiler's version, Platform what it compiled for.
	Go        string        `json:"go"`
	Platform  string        `json:"platform"`
	Tags      string        `json:"tags,omitempty"`
	ImageLock image.Summary `json:"imageLock"`
}

func (a *app) versionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell what this program is, and what images it builds",
		Long: `Tell the version, commit and compiler of this program, and the lock of the golden
images that it builds: its SHA-256, the versions of Kubernetes and of the kernels,
and the name of each image. "labctl --version" prints the first line alone.`,
		Example: "  labctl version\n  labctl version -o json",
		Args:    noArgs(),
		RunE: func(*cobra.Command, []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			lock, err := image.Summarize()
			if err != nil {
				return err
			}
			v := versionOf(buildInfo())
			v.ImageLock = lock
			if output != plainOutput {
				return a.encode(output, v)
			}
			return v.plain(a.stdout)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

// version is the program's, in one line, for journals and --version.
func version() string {
	v := versionOf(buildInfo())
	return fmt.Sprintf("%s (%s)", v.Version, v.Go)
}

// buildInfo is what the compiler wrote into this program. One built without
// modules has none.
func buildInfo() debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return *info
	}
	return debug.BuildInfo{GoVersion: runtime.Version()}
}

func versionOf(info debug.BuildInfo) versionInfo {
	v := versionInfo{Version: info.Main.Version, Go: info.GoVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "vcs.time":
			if date, err := time.Parse(time.RFC3339, s.Value); err == nil {
				v.Date = &date
			}
		case "-tags":
			v.Tags = s.Value
		}
	}
	return v
}

func (v versionInfo) plain(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "labctl\t%s\n", v.Version)
	fmt.Fprintf(w, "commit\t%s\n", v.commitLine())
	fmt.Fprintf(w, "go\t%s\n", strings.TrimSpace(v.Go+" "+v.Platform+" "+v.Tags))
	l := v.ImageLock
	fmt.Fprintf(w, "image lock\tsha256:%s\n", l.SHA256)
	fmt.Fprintf(w, "  pins\t%d packages of %s, %s\n", l.Packages, l.Date.Format(time.DateOnly), l.Go)
	fmt.Fprintf(w, "  kubernetes\t%s\n", strings.Join(l.Kubernetes, ", "))
	for _, k := range l.Kernels {
		fmt.Fprintf(w, "  kernel %s\t%s %s\n", k.Series, k.Package, k.Version)
	}
	for _, i := range l.Images {
		fmt.Fprintf(w, "  image\t%s: %s\n", i.ID, i.Variant)
	}
	return w.Flush()
}

func (v versionInfo) commitLine() string {
	if v.Commit == "" {
		return "not known: built without looking at the checkout"
	}
	line := v.Commit
	if v.Date != nil {
		line += " of " + v.Date.UTC().Format(time.RFC3339)
	}
	if v.Modified {
		line += ", with changes"
	}
	return line
}

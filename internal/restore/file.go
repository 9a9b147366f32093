package restore

import (
	"encoding/json"
	"fmt"
	"os"

	"labctl/internal/durable"
)

// Save writes a fingerprint to a file, in place of one that is there. It is on
// the disk when this returns, for its owner only.
func Save(path string, f Fingerprint) error {
	if err := writeJSON(path, f); err != nil {
		return fmt.Errorf("saving fingerprint: %w", err)
	}
	return nil
}

// Load reads a fingerprint from a file. One without sections is damaged: it
// would differ from nothing, or from everything.
func Load(path string) (Fingerprint, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("loading fingerprint: %w", err)
	}
	var f Fingerprint
	if err := json.Unmarshal(content, &f); err != nil {
		return Fingerprint{}, fmt.Errorf("loading fingerprint %q: %w", path, err)
	}
	if len(f.Sections) == 0 {
		return Fingerprint{}, fmt.Errorf("loading fingerprint %q: it has no sections", path)
	}
	return f, nil
}

// writeJSON replaces a file atomically and durably; its folder must exist.
func writeJSON(path string, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(content, '\n'), 0o600)
}

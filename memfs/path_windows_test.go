package memfs_test

import (
	"errors"
	"io/fs"
	"testing"

	"stagefs/memfs"
)

// Paths as programs for Windows build them find the same files.
func TestWindowsPaths(t *testing.T) {
	fsys := memfs.New()
	if err := fsys.MkdirAll(`C:\a\b`, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fsys.WriteFile(`C:\a/b\f`, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/a/b/f", `\a\b\f`, `c:/a\b/f`, `a\b\f`} {
		if info, err := fsys.Stat(path); err != nil || info.Name() != "f" {
			t.Errorf("Stat(%q): %v, %v", path, info, err)
		}
	}
	if _, err := fsys.FS().Open(`a\b`); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("an io/fs name with a backslash: %v", err)
	}
}

package memfs_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"stagefs/memfs"
)

func TestReport(t *testing.T) {
	fsys := memfs.New(memfs.WithCred(memfs.Cred{})) // empty, acts as root; no goroutine, nothing to clean up
	if err := fsys.MkdirAll("/var/lib/app", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fsys.WriteFile("/var/lib/app/state", []byte("42"), 0o600); err != nil {
		t.Fatal(err)
	}
	state, err := fs.ReadFile(fsys.FS(), "var/lib/app/state") // for code that takes an fs.FS
	if err != nil || string(state) != "42" {
		t.Errorf("state %q, %v", state, err)
	}

	someone := fsys.As(memfs.Cred{Uid: 1000, Gid: 1000}) // permissions are enforced
	if _, err := someone.ReadFile("/var/lib/app/state"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("everybody may read the state: %v", err)
	}

	small := memfs.New(memfs.WithSize(64 << 10)) // a disk that is soon full
	if err := small.WriteFile("/big", make([]byte, 1<<20), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("no ENOSPC: %v", err)
	}
}

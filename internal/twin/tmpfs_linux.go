package twin

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stagefs/internal/need"
)

// Tmpfs returns a directory on a tmpfs of the kernel mounted with relatime:
// one that is there, or, for root, one mounted for the test.
func Tmpfs(t testing.TB) string {
	t.Helper()
	for _, dir := range mounted() {
		if probe, err := os.MkdirTemp(dir, "twin"); err == nil {
			os.Remove(probe)
			return dir
		}
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RELATIME, "mode=0755"); err != nil {
		need.Missing(t, "a tmpfs mounted with relatime: "+err.Error())
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// mounted lists the mount points of suitable file systems, /dev/shm first.
func mounted() []string {
	f, err := os.Open("/proc/self/mounts")
	if err != nil {
		return nil
	}
	defer f.Close()
	var dirs []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[2] != "tmpfs" {
			continue
		}
		options := strings.Split(fields[3], ",")
		if !slices.Contains(options, "rw") || !slices.Contains(options, "relatime") {
			continue
		}
		if fields[1] == "/dev/shm" {
			dirs = slices.Insert(dirs, 0, fields[1])
		} else {
			dirs = append(dirs, fields[1])
		}
	}
	return dirs
}

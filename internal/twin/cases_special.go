//go:build linux

package twin

import (
	"io/fs"
	"os"
	"syscall"
)

// SpecialCases are about fifos, sockets and devices.
var SpecialCases = []Case{
	{"special/mknod", InSystem, Privilege, specialMknod},
	{"special/open", InSystem, Privilege, specialOpen},
	{"special/calls", InSystem, Privilege, specialCalls},
	{"special/fifo", InSystem, Nothing, specialFifo},
}

var specialKinds = []fs.FileMode{
	0, fs.ModeNamedPipe, fs.ModeSocket, fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice, fs.ModeDir, fs.ModeSymlink,
}

func specialMknod(t *T) {
	names := []string{"new", "new/", "f", "f/", "d", "d/", "d/.", "d/new", "f/x", "missing/x", "", ".", "/", "l", "l/", "dang", "dang/", "ro/x"}
	for _, kind := range specialKinds {
		t.Table("Mknod "+kind.String(), []string{"f", "d/", "l -> d", "dang -> none", "ro/ @555"}, len(names), func(i int) bool {
			return t.Mknod(names[i], kind|0o644, 0x103) == nil
		})
	}
	t.Fresh("modes", "sgid/ @2777 7:8", "open/ @777")
	for _, who := range []Cred{rootUser, someUser} {
		t.As(who, func() {
			for _, kind := range specialKinds {
				for _, dir := range []string{"sgid/", "open/", ""} {
					for _, perm := range []fs.FileMode{0, 0o666, 0o777 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky} {
						name := dir + "x"
						t.Mknod(name, kind|perm, 0)
						t.Lstat(name)
						t.Remove(name)
						t.Mknod(name, kind|perm, 0x501)
						t.Lstat(name)
						t.Remove(name)
					}
				}
			}
		})
	}
	t.Dump()
}

// specialFiles makes one of each that can be made, with a mode. The devices have no driver.
func specialFiles(t *T, perm fs.FileMode) []string {
	names := []string{"file", "fifo", "socket", "block", "char"}
	for i, name := range names {
		t.Mknod(name, specialKinds[i]|perm, 0)
	}
	return names
}

func specialOpen(t *T) {
	for _, perm := range []fs.FileMode{0o644, 0o200, 0} {
		t.Fresh("open " + perm.String())
		names := specialFiles(t, perm)
		for _, who := range []Cred{rootUser, someUser} {
			t.As(who, func() {
				for _, name := range names {
					for _, flag := range []int{
						os.O_RDWR, os.O_RDWR | os.O_TRUNC, os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_EXCL,
						os.O_RDONLY | syscall.O_NONBLOCK, os.O_WRONLY | syscall.O_NONBLOCK, os.O_RDWR | syscall.O_DIRECTORY,
						os.O_RDONLY | syscall.O_NONBLOCK | os.O_TRUNC, os.O_RDWR | os.O_APPEND,
					} {
						t.OpenFile(name, flag, 0o644).Close()
						t.OpenFile(name+"/", flag, 0o644).Close()
					}
				}
			})
		}
		t.Dump()
	}
}

func specialCalls(t *T) {
	t.Fresh("other calls", "d/")
	for _, name := range specialFiles(t, 0o640) {
		t.Stat(name)
		t.Truncate(name, 5)
		t.Chmod(name, 0o751|fs.ModeSetuid)
		t.Chown(name, 7, 8)
		t.Link(name, "d/"+name)
		t.Symlink(name, "l"+name)
		t.Stat("l" + name)
		t.Rename(name, "d/r"+name)
		t.Rename("d/r"+name, name)
		t.Rename("d/"+name, "file")
		t.Stat(name + "/x")
		t.Readlink(name)
		t.Remove(name)
	}
	t.ReadDir(".")
	t.Dump()
}

func specialFifo(t *T) {
	t.Fresh("fifo")
	t.Mknod("p", fs.ModeNamedPipe|0o644, 0)
	h := t.OpenFile("p", os.O_RDWR, 0)
	h.Write("hello")
	h.Stat()
	h.Read(3)
	h.Read(10)
	h.SeekTo(0, 0)
	h.ReadAt(3, 0)
	h.WriteAt("x", 0)
	h.Truncate(0)
	h.Truncate(-1)
	h.Readdirnames(-1)
	h.Chmod(0o600)
	w := t.OpenFile("p", os.O_WRONLY, 0)
	w.Write(" world")
	w.Read(3)
	h.Write(", again")
	h.Read(100)
	t.Remove("p")
	w.Write("gone, but open")
	h.Read(100)
	w.Close()
	h.Close()
	h.Read(1)
	t.Dump()

	t.Mknod("q", fs.ModeNamedPipe|0o644, 0)
	t.OpenFile("q", os.O_WRONLY|syscall.O_NONBLOCK, 0)
	r := t.OpenFile("q", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	w = t.OpenFile("q", os.O_WRONLY, 0)
	w.Write("text")
	w.Close()
	r.Read(10)
	r.Read(10)
	w = t.OpenFile("q", os.O_WRONLY, 0)
	r.Close()
	w.Write("nobody reads")
	w.Close()
	t.Dump()
}

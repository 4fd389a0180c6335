//go:build linux

package twin

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// TmpFileCases are about the open flags of Linux alone, and files that have no name yet.
var TmpFileCases = []Case{
	{"tmpfile/where", InSystem, Nothing, tmpFileWhere},
	{"tmpfile/flags", InSystem, Nothing, tmpFileFlags},
	{"tmpfile/life", InSystem, Privilege, tmpFileLife},
	{"tmpfile/users", InSystem, Privilege, tmpFileUsers},
	{"tmpfile/link-open", InSystem, Privilege, linkOpen},
	{"openflags/path", InSystem, Privilege, openPath},
	{"openflags/noatime", InSystem, Privilege, openNoAtime},
}

func tmpFileWhere(t *T) {
	t.Fresh("where", "f", "d/sub/", "l -> d", "lf -> f", "dang -> none", "gone/")
	gone := t.Open("gone")
	for _, name := range []string{".", "", "/", "d", "d/", "d/.", "d/..", "d//sub", "f", "f/", "l", "l/", "lf", "dang", "missing", "missing/x", "f/x", "d/new"} {
		h := t.OpenFile(name, os.O_RDWR|unix.O_TMPFILE, 0o640)
		h.Stat()
		h.Close()
		t.OpenFile(name, os.O_RDWR|unix.O_TMPFILE|unix.O_NOFOLLOW, 0o640).Close()
	}
	gone.Chdir()
	t.Remove("/gone")
	t.OpenFile(".", os.O_RDWR|unix.O_TMPFILE, 0o640).Stat()
	t.Chdir("/")
	t.Dump()
}

func tmpFileFlags(t *T) {
	t.Fresh("flags", "d/")
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND} {
		for _, more := range []int{
			unix.O_TMPFILE, unix.O_TMPFILE | os.O_CREATE, unix.O_TMPFILE | os.O_EXCL, unix.O_TMPFILE | os.O_TRUNC, unix.O_TMPFILE &^ unix.O_DIRECTORY,
			unix.O_TMPFILE | unix.O_PATH, unix.O_DIRECTORY | os.O_CREATE, unix.O_PATH | os.O_CREATE, unix.O_TMPFILE | unix.O_NOATIME,
		} {
			h := t.OpenFile("d", access|more, 0o600)
			h.Write("text")
			h.Stat()
			h.Close()
		}
	}
	t.Dump()
}

func tmpFileLife(t *T) {
	t.Fresh("life", "d/ @2775 7:8", "taken")
	h := t.OpenFile("d", os.O_RDWR|unix.O_TMPFILE, 0o666)
	t.Lstat("d")
	h.Write("text")
	h.Chmod(0o640)
	h.Truncate(2)
	h.Stat()
	for _, name := range []string{"taken", "d", "missing/x", "new/", "", ".", "d/name", "second", "d/name"} {
		t.LinkFile(h, name)
	}
	h.Stat()
	t.Dump()
	t.Remove("second")
	t.Remove("d/name")
	h.Stat()
	t.LinkFile(h, "again")
	h.Read(10)
	h.Close()
	h = t.OpenFile("d", os.O_WRONLY|unix.O_TMPFILE|os.O_EXCL, 0o666)
	t.LinkFile(h, "never")
	h.Close()
	for i := range 3 {
		h := t.OpenFile("d", os.O_WRONLY|unix.O_TMPFILE, 0o666)
		h.Write(fmt.Sprint("file ", i))
		t.LinkFile(h, fmt.Sprint("d/kept", i))
		h.Close()
	}
	t.Dump()
}

func tmpFileUsers(t *T) {
	t.Fresh("users", "open/ @777", "ro/ @755", "wo/ @733", "noexec/ @766", "sticky/ @1777", "grp/ @2775 1000:40", "inner/ @700 1000:1000")
	for _, who := range everybody {
		t.As(who, func() {
			for _, dir := range []string{"open", "ro", "wo", "noexec", "sticky", "grp", "inner"} {
				h := t.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o666)
				h.Stat()
				t.LinkFile(h, fmt.Sprintf("%s/by%d", dir, who.UID))
				t.LinkFile(h, fmt.Sprintf("open/by%d", who.UID))
				h.Close()
			}
		})
	}
	t.Dump()
}

func linkOpen(t *T) {
	t.Fresh("open files", "f: text", "d/", "l -> f", "u @600 1000:1000")
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, unix.O_PATH, unix.O_PATH | unix.O_NOFOLLOW} {
		for i, name := range []string{"f", "d", "l", "u"} {
			h := t.OpenFile(name, flag, 0)
			t.LinkFile(h, fmt.Sprintf("n%d-%d", flag&0o3, i))
			t.LinkFile(h, "d")
			h.Stat()
			h.Close()
			t.Remove(fmt.Sprintf("n%d-%d", flag&0o3, i))
		}
	}
	h := t.Open("f")
	t.Remove("f")
	t.LinkFile(h, "f2")
	t.Dump()
}

func openPath(t *T) {
	t.Fresh("O_PATH", "f: text @000", "d/sub/ @000", "l -> f", "ld -> d", "dang -> none", "closed/in/x", "closed/ @000")
	for _, who := range []Cred{rootUser, someUser} {
		t.As(who, func() {
			for _, name := range []string{"f", "f/", "d", "d/sub", "l", "l/", "ld", "ld/", "dang", "missing", "closed", "closed/in", "."} {
				for _, flag := range []int{unix.O_PATH, unix.O_PATH | unix.O_NOFOLLOW, unix.O_PATH | unix.O_DIRECTORY, unix.O_PATH | os.O_RDWR | os.O_TRUNC | os.O_CREATE} {
					h := t.OpenFile(name, flag, 0o600)
					h.Stat()
					h.Read(4)
					h.ReadAt(4, 0)
					h.Write("x")
					h.WriteAt("x", 0)
					h.SeekTo(0, 0)
					h.Truncate(0)
					h.Chmod(0o777)
					h.Chown(1, 1)
					h.Readdirnames(-1)
					h.Sync()
					h.Close()
					h.Close()
				}
			}
		})
	}
	t.Dump()
	h := t.OpenFile("d", unix.O_PATH, 0)
	h.Chdir()
	t.Lstat("sub")
	t.Chdir("/")
}

func openNoAtime(t *T) {
	old := time.Unix(1e9, 0)
	t.Fresh("O_NOATIME", "f: text @666", "mine: text @644 1000:1000", "d/x", "d/ @777")
	for _, who := range []Cred{rootUser, someUser, otherUser} {
		t.As(who, func() {
			for _, name := range []string{"f", "mine", "d"} {
				h := t.OpenFile(name, os.O_RDONLY|unix.O_NOATIME, 0)
				h.Read(4)
				h.Readdirnames(-1)
				h.Stat()
			}
			h := t.OpenFile("f", os.O_RDWR|os.O_CREATE|unix.O_NOATIME, 0)
			h.Close()
		})
	}
	t.Chtimes("f", old, old)
	h := t.OpenFile("f", os.O_RDONLY|unix.O_NOATIME, 0)
	h.Read(4)
	t.Stat("f")
	h = t.Open("f")
	h.Read(4)
	t.Stat("f")
}

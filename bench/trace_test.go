package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stagefs/memfs"
)

// show writes what matters of a call in a line.
func show(c traceCall) string {
	s := fmt.Sprintf("%d kind=%d %s", c.thread, c.kind, fullPathOf(c.dir, c.path))
	if c.path2 != "" {
		s += " to " + fullPathOf(c.dir2, c.path2)
	}
	if c.flags != 0 {
		s += fmt.Sprintf(" flags=%d", c.flags)
	}
	if c.fileType != 0 {
		s += " is=" + string(c.fileType)
	}
	if c.text != "" {
		s += " text=" + c.text
	}
	return strings.TrimRight(s+" "+c.errno, " ")
}

// fullPathOf shows how a path is made of its directory and what the call said.
func fullPathOf(dir, name string) string {
	if strings.HasPrefix(name, "/") || dir == "" {
		return name
	}
	return dir + "|" + name
}

func mustTrace(t *testing.T, text string) *trace {
	t.Helper()
	tr, err := readTrace("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestTraceLines(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"pid", `7 stat("/a", {st_mode=S_IFDIR|0755, st_size=1, ...}) = 0`, "0 kind=0 /a is=d"},
		{"no pid", `stat("/a", {st_mode=S_IFREG|0644, ...}) = 0`, "0 kind=0 /a is=f"},
		{"time", `7 12:34:56 access("/a", R_OK) = -1 ENOENT (No such file or directory)`, "0 kind=0 /a ENOENT"},
		{"microseconds", `12:34:56.000001 access("/a", R_OK) = 0`, "0 kind=0 /a"},
		{"epoch", `7 1700000000.000001 access("/a", R_OK) = 0 <0.000012>`, "0 kind=0 /a"},
		{"relative time", `7      0.000123 access("/a", R_OK) = 0`, "0 kind=0 /a"},
		{"terminal", `[pid  7] access("/a", R_OK) = 0`, "0 kind=0 /a"},
		{"escapes", `stat("/\303\244\x41\"\n\\,) = 0", 0x7ff) = -1 ENOENT (x)`, "0 kind=0 /äA\"\n\\,) = 0 ENOENT"},
		{"openat", `openat(AT_FDCWD, "/a", O_RDWR|O_CREAT|O_EXCL, 0666) = 3`,
			fmt.Sprintf("0 kind=%d /a flags=%d", callOpen, flagReadWrite|flagCreate|flagExclusive)},
		{"openat2", `openat2(AT_FDCWD, "/a", {flags=O_RDONLY|O_DIRECTORY, resolve=RESOLVE_BENEATH}, 24) = 3`,
			fmt.Sprintf("0 kind=%d /a flags=%d", callOpen, flagDirectory)},
		{"creat", `creat("/a", 0666) = 3`, fmt.Sprintf("0 kind=%d /a flags=%d", callOpen, flagWrite|flagCreate|flagTruncate)},
		{"statx", `statx(AT_FDCWD, "/a", AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW, STATX_ALL, {stx_mask=STATX_ALL, stx_mode=S_IFLNK|0777, ...}) = 0`,
			fmt.Sprintf("0 kind=%d /a flags=%d is=l", callLstat, flagNoFollow)},
		{"readlink", `readlink("/a", "b/c", 4096) = 3`, fmt.Sprintf("0 kind=%d /a text=b/c", callReadlink)},
		{"readlink cut", `readlink("/a", "b"..., 4096) = 40`, fmt.Sprintf("0 kind=%d /a", callReadlink)},
		{"rename", `renameat2(AT_FDCWD, "/a", AT_FDCWD, "/b", RENAME_NOREPLACE) = 0`,
			fmt.Sprintf("0 kind=%d /a to /b flags=%d", callRename, flagExclusive)},
		{"symlink", `symlinkat("../x", AT_FDCWD, "/a") = 0`, fmt.Sprintf("0 kind=%d /a text=../x", callSymlink)},
		{"rmdir", `unlinkat(AT_FDCWD, "/a", AT_REMOVEDIR) = 0`, fmt.Sprintf("0 kind=%d /a flags=%d", callRmdir, flagRemoveDir)},
		{"utimensat", `utimensat(AT_FDCWD, "/a", [{tv_sec=1, tv_nsec=2} /* 2001-09-09 */, UTIME_OMIT], 0) = 0`, fmt.Sprintf("0 kind=%d /a", callTimes)},
		{"execve", `execve("/bin/sh", ["sh", "-c", "a, b) = 0"], 0x7ff /* 9 vars */) = 0`, "0 kind=0 /bin/sh"},
		{"xattr", `getxattr("/a", "user.x", 0x0, 0) = -1 ENODATA (No data available)`, "0 kind=0 /a ENODATA"},
		{"descriptor", `7 openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 3
7 newfstatat(3, "x", 0x1, 0) = -1 ENOENT (x)
7 openat(AT_FDCWD, "/e", O_RDONLY) = 3
7 newfstatat(3, "x", 0x1, 0) = -1 ENOENT (x)`,
			fmt.Sprintf("0 kind=%d /d flags=%d\n0 kind=0 /d|x ENOENT\n0 kind=%d /e\n0 kind=0 /e|x ENOENT", callOpen, flagDirectory, callOpen)},
		{"-y", `newfstatat(3</a b, (c>, "x", 0x1, 0) = -1 ENOENT (x)
openat(AT_FDCWD</home/u>, "y", O_RDONLY) = 5</home/u/y>
stat("z", 0x1) = -1 ENOENT (x)`, fmt.Sprintf("0 kind=0 /a b, (c|x ENOENT\n0 kind=%d /home/u|y\n0 kind=0 /home/u|z ENOENT", callOpen)},
		{"getcwd", "access(\"x\", F_OK) = 0\ngetcwd(\"/home/u\", 4096) = 8\naccess(\"y\", F_OK) = 0",
			"0 kind=0 /home/u|x\n0 kind=0 /home/u|y"},
		{"unknown start", `access("x", F_OK) = 0`, "0 kind=0 " + defaultTraceDir + "|x"},
		{"chdir", "getcwd(\"/u\", 9) = 3\nchdir(\"a\") = 0\nchdir(\"gone\") = -1 ENOENT (x)\naccess(\"x\", F_OK) = 0",
			fmt.Sprintf("0 kind=%d /u|a\n0 kind=%d /u/a|gone ENOENT\n0 kind=0 /u/a|x", callChdir, callChdir)},
		{"fchdir", "open(\"/d\", O_RDONLY) = 3\nfchdir(3) = 0\naccess(\"x\", F_OK) = 0", fmt.Sprintf("0 kind=%d /d\n0 kind=0 /d|x", callOpen)},
		{"chdir of a child", `1 getcwd("/u", 9) = 3
2 chdir("/v") = 0
2 access("x", F_OK) = 0
1 access("x", F_OK) = 0`, fmt.Sprintf("0 kind=%d /v\n0 kind=0 /v|x\n1 kind=0 /u|x", callChdir)},
		{"chdir of a thread", `1 getcwd("/u", 9) = 3
1 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 2
2 chdir("/v") = 0
1 access("x", F_OK) = 0`, fmt.Sprintf("0 kind=%d /v\n1 kind=0 /v|x", callChdir)},
		{"unfinished", `1 access("/a",  <unfinished ...>
2 stat("/b",  <unfinished ...>
1 <... access resumed> R_OK) = 0
2 <... stat resumed>{st_mode=S_IFDIR|0755, ...}) = 0`, "0 kind=0 /a\n1 kind=0 /b is=d"},
		{"not calls", `1 access("/a", F_OK) = 0
1 --- SIGCHLD {si_signo=SIGCHLD} ---
1 +++ exited with 0 +++
strace: Process 2 attached
garbage(((
1 access("/cut"..., F_OK) = 0
1 access(0x7ff, F_OK) = 0
1 access("/never", F_OK) = ?
1 openat(9, "x", O_RDONLY) = -1 ENOENT (x)
1 mount("/a", "/b", "c", 0, NULL) = 0
1 open("/tmp", O_RDWR|O_TMPFILE, 0600) = 3
1 getcwd("/u", 9) = 3`, "0 kind=0 /a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, call := range mustTrace(t, c.lines).calls {
				got = append(got, show(call))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTraceCounts(t *testing.T) {
	tr := mustTrace(t, "1 access(\"/a\", F_OK) = 0\n1 --- SIGIO {} ---\nx\n1 stat(\"/b\"..., 0x1) = 0\n1 stat(\"/c\", <unfinished ...>\n"+
		"stat(\""+strings.Repeat("x", maxTraceLine)+"\", 0x1) = 0\n")
	if got, want := tr.summary(), "5 lines left out (1 never finished, 1 signals and exits, 2 unreadable, 1 with a path that is cut)"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

func TestTraceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "it is empty",
		"\nhello\n":         "line 2: unreadable",
		"1 getpid() = 3\n":  "line 1: calls without a path to look up",
		"1 --- SIGIO {} --": "line 1: signals and exits",
	} {
		if _, err := readTrace("t", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := CheckTraces(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestTraceFile: plain and compressed files are read; the name is the file's.
func TestTraceFile(t *testing.T) {
	text := []byte("1 access(\"/a\", F_OK) = 0\n")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"make.trace": text, "make.trace.gz": zipped.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if tr, err := readTraceFile(file); err != nil || tr.name != "make" || len(tr.calls) != 1 {
			t.Errorf("%s: %+v, %v", name, tr, err)
		}
	}
}

// FuzzTrace: whatever a file holds, reading it, finding its tree, replaying and
// undoing it end without a panic.
func FuzzTrace(f *testing.F) {
	for _, name := range shippedNames {
		tr, err := shippedTraces.ReadFile("traces/" + name + ".gz")
		if err != nil {
			f.Fatal(err)
		}
		unzip, err := gzip.NewReader(bytes.NewReader(tr))
		if err != nil {
			f.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(unzip); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes()[:4000])
		f.Add(text.Bytes()[text.Len()-4000:])
	}
	for _, script := range treeScripts {
		f.Add([]byte(script.trace))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := readTrace("fuzz", bytes.NewReader(data))
		if err != nil {
			return
		}
		r := newReplay(tr)
		p, err := newPlayer(r, memfs.New(memfs.WithCred(memfs.Cred{Uid: 1000, Gid: 1000})))
		if err != nil {
			t.Fatal(err)
		}
		before := treeOf(t, p)
		v, _ := p.verify() // a trace that contradicts itself does not match
		if v.failed > len(tr.calls) {
			t.Errorf("%d of %d calls failed", v.failed, len(tr.calls))
		}
		if err := p.reset(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, treeOf(t, p)); diff != "" {
			t.Errorf("the tree before and after (-before +after)\n%s", diff)
		}
	})
}

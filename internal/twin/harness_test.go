//go:build linux

package twin

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestHostAgainstItself shows that the cases which depend on the clock or on
// the order of directories give the same transcript twice.
func TestHostAgainstItself(t *testing.T) {
	dir := Tmpfs(t)
	cases := append(append(append(append([]Case{}, TimeCases...), DirCases...), MetaCases...), RemoveCases...)
	Run(t, NewHost(dir), NewHost(dir), InSystem, cases)
	for seed := range uint64(5) {
		diff, err := NewScript(seed, 100, Mix{}).Differ(NewHost(dir), NewHost(dir), true)
		if err != nil || diff != "" {
			t.Errorf("seed %d: %v %s", seed, err, diff)
		}
	}
}

// faulty is the world of the kernel with systems that have one fault.
type faulty struct {
	*Host
	fault func(System) System
}

func (w faulty) Enter(f func(fresh func() System)) error {
	return w.Host.Enter(func(fresh func() System) {
		f(func() System { return w.fault(fresh()) })
	})
}

// noSticky forgets the sticky bit.
type noSticky struct{ System }

func (s noSticky) Chmod(name string, mode fs.FileMode) error {
	return s.System.Chmod(name, mode&^fs.ModeSticky)
}

// wrongOp fails with another operation in the error.
type wrongOp struct{ System }

func (s wrongOp) Remove(name string) error {
	err := s.System.Remove(name)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		pe.Op = "unlink"
	}
	return err
}

// lazy changes less than it says.
type lazy struct{ System }

func (s lazy) Rename(oldname, newname string) error {
	fi, err := s.System.Lstat(newname)
	if err == nil && fi.Mode().IsRegular() {
		return s.System.Remove(oldname)
	}
	return s.System.Rename(oldname, newname)
}

// TestFaultsAreSeen plants faults: a check that never fails checks nothing.
func TestFaultsAreSeen(t *testing.T) {
	dir := Tmpfs(t)
	for _, f := range []struct {
		name  string
		fault func(System) System
		says  string
	}{
		{"no sticky bit", func(s System) System { return noSticky{s} }, "drwxrwxrwx"},
		{"wrong operation", func(s System) System { return wrongOp{s} }, "PathError{unlink "},
		{"rename that only removes", func(s System) System { return lazy{s} }, `"b"`},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := Case{Run: func(t *T) {
				t.Fresh("untouched", "x")
				t.Stat("x")
				t.Fresh("touched", "a: new", "b: old", "d/")
				t.Chmod("d", fs.ModeSticky|0o777)
				t.Remove("missing")
				t.Rename("a", "b")
				t.Dump()
			}}
			want, err := c.Record(NewHost(dir), false, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Record(faulty{NewHost(dir), f.fault}, false, want)
			if err != nil {
				t.Fatal(err)
			}
			diffs := Compare(want, got)
			if len(diffs) != 1 || !strings.Contains(diffs[0], f.says) {
				t.Errorf("got %q, want one section with %q", diffs, f.says)
			}
		})
	}
}

// TestShrink finds a planted fault at random, and what little it takes.
func TestShrink(t *testing.T) {
	needPrivilege(t)
	dir := Tmpfs(t)
	bad := faulty{NewHost(dir), func(s System) System { return lazy{s} }}
	for seed := uint64(1); ; seed++ {
		if seed > 50 {
			t.Fatal("fifty scripts have not found the fault")
		}
		short, diff, err := NewScript(seed, scriptSteps, Mix{}).Shrink(NewHost(dir), bad, false)
		if err != nil {
			t.Fatal(err)
		}
		if diff == "" {
			continue
		}
		if len(short.Steps) > 6 || !strings.Contains(short.String(), "Rename(") {
			t.Errorf("seed %d shrank to\n%s(%s)\nwant a file, perhaps with its directory, and a Rename", seed, short, diff)
		}
		return
	}
}

// TestFollow lets the second twin go the way of the first.
func TestFollow(t *testing.T) {
	c := Case{Run: func(t *T) {
		t.Fresh("a", "f")
		if t.Choose(t.Remove("f") == nil) {
			t.Fresh("b")
		}
		t.Lstat("f")
	}}
	host := NewHost(Tmpfs(t))
	want, err := c.Record(host, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := func(s System) System { return keeper{s} }
	got, err := c.Record(faulty{host, kept}, false, want)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Sections) != 2 {
		t.Errorf("got %d sections, want the 2 of the first twin", len(got.Sections))
	}
}

// keeper removes nothing.
type keeper struct{ System }

func (keeper) Remove(name string) error {
	return &fs.PathError{Op: "remove", Path: name, Err: syscall.EPERM}
}

// TestPanicIsADifference keeps the transcript of a case that panics.
func TestPanicIsADifference(t *testing.T) {
	c := Case{Run: func(t *T) {
		t.Fresh("a")
		t.Stat("f")
		panic("out of order")
	}}
	tr, err := c.Record(NewHost(Tmpfs(t)), false, nil)
	if err == nil || !strings.Contains(err.Error(), "out of order") || !strings.Contains(err.Error(), `Stat("f")`) {
		t.Errorf("got %v, want the panic and the call before it", err)
	}
	if len(tr.Sections) != 1 {
		t.Errorf("got %d sections, want 1", len(tr.Sections))
	}
}

func TestLayout(t *testing.T) {
	layout := []string{"d/e/", "f", "g: text", "h*5000", "l -> d/e", "hard == f", "s: x @4755", "d @1700"}
	if os.Geteuid() == 0 {
		layout = append(layout, "o @640 5:6", "l @- 7:8")
	}
	c := Case{Run: func(t *T) { t.Fresh("layout", layout...); t.Dump() }}
	tr, err := c.Record(NewHost(Tmpfs(t)), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(tr.Sections[0].Lines, "\n")
	want := []string{
		`"d"/ {"d" dtrwx------ 60`, `"d/e"/ {"e" drwxr-xr-x 40`, `nlink=2`, `"text"`, `{"h" -rw-r--r-- 5000`, `-> "d/e"`, `{"s" urwxr-xr-x 1`,
	}
	if os.Geteuid() == 0 {
		want = append(want, "owner=5:6", "owner=7:8")
	}
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("no %s in\n%s", w, all)
		}
	}
	bad := Case{Run: func(t *T) { t.Fresh("bad", "a", "a/b") }}
	if _, err := bad.Record(NewHost(Tmpfs(t)), false, nil); err == nil || !strings.Contains(err.Error(), "EEXIST") {
		t.Errorf("got %v, want an error for a file in a file", err)
	}
}

func TestDescribeError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "ok"},
		{io.EOF, "io.EOF"},
		{&fs.PathError{Op: "open", Path: "f", Err: syscall.ENOENT}, `PathError{open "f": ENOENT}`},
		{&os.LinkError{Op: "link", Old: "a", New: "b", Err: syscall.EXDEV}, `LinkError{link "a" "b": EXDEV}`},
		{&fs.PathError{Op: "read", Path: "f", Err: os.ErrClosed}, `PathError{read "f": fs.ErrClosed}`},
		{os.NewSyscallError("getwd", syscall.ENOENT), "SyscallError{getwd: ENOENT}"},
		{errors.New("own"), `"own"`},
		{errors.Join(fs.ErrExist), `"file already exists" is fs.ErrExist`},
		{&fs.PathError{Op: "x", Path: strings.Repeat("p", 300), Err: syscall.Errno(9999)}, `PathError{x "pppppppppppp".."pppppppppppp"(300 bytes, sum f6289af5): errno 9999}`},
		{(*fs.PathError)(nil), "nil *PathError"},
	} {
		if got := describeError(c.err, quote); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

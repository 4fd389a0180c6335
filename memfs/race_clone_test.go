package memfs_test

import (
	"bytes"
	"os"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// allSame reports whether all bytes are the same one of those wanted.
func allSame(p []byte, wanted string) bool {
	return len(p) == 0 || bytes.IndexByte([]byte(wanted), p[0]) >= 0 && bytes.Count(p, p[:1]) == len(p)
}

// Whoever reads one side of a clone or of a copied range never sees what is written to the other side, whichever is
// written first and however much.
func TestClonesKeepApart(t *testing.T) {
	const size = 70 * pageSize
	for name, share := range map[string]func(fsys *memfs.FS, dst, src *memfs.File) error{
		"clone": func(fsys *memfs.FS, dst, src *memfs.File) error { return fsys.CloneFile(dst, src) },
		"copy": func(fsys *memfs.FS, dst, src *memfs.File) error {
			_, err := fsys.CopyFileRange(dst, 0, src, 0, size)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			src := got[*memfs.File](t)(fsys.Create("/src"))
			dst := got[*memfs.File](t)(fsys.Create("/dst"))
			fill := func(f *memfs.File, b byte) error {
				_, err := f.WriteAt(bytes.Repeat([]byte{b}, size), 0)
				return err
			}
			read := func(f *memfs.File, wanted string) {
				p := make([]byte, size)
				n, _ := f.ReadAt(p, 0)
				if !allSame(p[:n], wanted) {
					t.Errorf("bytes %q.. where one of %q was due", p[:min(n, 10)], wanted)
				}
			}
			must(t, fill(src, 'a'))
			times := max(rounds(2000)/20, 20)
			together(
				func() { // the source has a or b, never c
					for i := range times {
						wantError(t, "write", fill(src, "ab"[i%2]), nil)
						read(src, "ab")
					}
				},
				func() {
					for range times {
						wantError(t, "share", share(fsys, dst, src), nil)
						read(dst, "abc")
					}
				},
				func() {
					for range times {
						wantError(t, "write", fill(dst, 'c'), nil)
						read(src, "ab")
					}
				},
			)
			must(t, src.Close())
			must(t, dst.Close())
			check(t, fsys)
			must(t, removeBelow(fsys, "/"))
			wantUsed(t, fsys, 0, 1)
		})
	}
}

// Two files cloned and copied into each other, both ways at once, and changed by every kind of call meanwhile: no
// deadlock, and every page is accounted for.
func TestCrossClones(t *testing.T) {
	fsys := newFS(memfs.WithSize(600 * pageSize))
	a := got[*memfs.File](t)(fsys.Create("/a"))
	b := got[*memfs.File](t)(fsys.Create("/b"))
	got[int](t)(a.WriteAt(make([]byte, 100*pageSize), 0))
	n := rounds(4000) / 10
	cross := func(dst, src *memfs.File) func() {
		return func() {
			for i := range n {
				off := int64(i%7) * pageSize
				wantError(t, "clone", fsys.CloneFile(dst, src), nil, syscall.ENOSPC)
				_, err := fsys.CopyFileRange(dst, off, src, off*2, 20*pageSize)
				wantError(t, "copy", err, nil, syscall.ENOSPC)
				wantError(t, "punch", src.Allocate(memfs.AllocPunchHole|memfs.AllocKeepSize, off+100, 5*pageSize), nil)
				wantError(t, "allocate", dst.Allocate(0, off, 30*pageSize), nil, syscall.ENOSPC)
				wantError(t, "zero", src.Allocate(memfs.AllocZero, off, 3*pageSize), nil, syscall.ENOSPC)
				wantError(t, "collapse", dst.Allocate(memfs.AllocCollapse, off, pageSize), nil, syscall.EINVAL)
				wantError(t, "insert", dst.Allocate(memfs.AllocInsert, off, pageSize), nil, syscall.EINVAL)
				_, err = src.WriteAt([]byte("some bytes"), off+pageSize-5)
				wantError(t, "write", err, nil, syscall.ENOSPC)
				wantError(t, "truncate", dst.Truncate(100*pageSize-off), nil)
			}
		}
	}
	together(cross(a, b), cross(b, a), func() {
		for range n {
			for _, f := range []*memfs.File{a, b} {
				_, err := f.Seek(0, memfs.SeekData)
				wantError(t, "seek", err, nil, syscall.ENXIO)
				used(t, fsys)
			}
		}
	})
	must(t, a.Close())
	must(t, b.Close())
	check(t, fsys)
	must(t, removeBelow(fsys, "/"))
	wantUsed(t, fsys, 0, 1)
}

// What a clone was charged with is there when it is written to: no write meets ENOSPC where st_blocks has a page.
func TestCloneIsCharged(t *testing.T) {
	fsys := newFS(memfs.WithSize(100 * pageSize))
	must(t, fsys.WriteFile("/src", bytes.Repeat([]byte("s"), 50*pageSize), 0o644))
	src := got[*memfs.File](t)(fsys.OpenFile("/src", os.O_RDWR, 0))
	dst := got[*memfs.File](t)(fsys.Create("/dst"))
	more := got[*memfs.File](t)(fsys.Create("/more"))
	must(t, fsys.CloneFile(dst, src))
	wantUsed(t, fsys, 100, 4)
	must(t, fsys.CloneFile(dst, src)) // takes the place of what it has
	wantError(t, "third", fsys.CloneFile(more, src), syscall.ENOSPC)
	if st := stat(t, fsys, "/more"); st.Size != 0 || st.Blocks != 0 {
		t.Errorf("a clone without room left %+v", st)
	}
	got[int](t)(dst.WriteAt(bytes.Repeat([]byte("d"), 50*pageSize), 0))
	got[int](t)(src.WriteAt([]byte("S"), 0))
	wantUsed(t, fsys, 100, 4)
	for path, want := range map[string]string{"/src": "Ss", "/dst": "dd"} {
		data := got[[]byte](t)(fsys.ReadFile(path))
		if len(data) != 50*pageSize || string(data[:2]) != want || !allSame(data[1:], want[1:]) {
			t.Errorf("%s has %q..", path, data[:2])
		}
	}
	wantError(t, "itself", fsys.CloneFile(src, src), syscall.EINVAL)
	wantError(t, "other file system", newFS().CloneFile(dst, src), syscall.EXDEV)
	_, err := newFS().CopyFileRange(dst, 0, src, 0, 1)
	wantError(t, "copy to another file system", err, syscall.EXDEV)
	_, err = fsys.CopyFileRange(dst, 0, src, 0, -1)
	wantError(t, "negative length", err, syscall.EINVAL)
	wantError(t, "nil", fsys.CloneFile(nil, src), os.ErrInvalid)
	must(t, src.Close())
	wantError(t, "closed", fsys.CloneFile(dst, src), os.ErrClosed)
	_, err = fsys.CopyFileRange(src, 0, dst, 0, 1)
	wantError(t, "closed", err, os.ErrClosed)
	must(t, dst.Close())
	must(t, more.Close())
	check(t, fsys)
}

// Rules of the modes that tmpfs has not, as ext4 has them.
func TestCollapseInsertRules(t *testing.T) {
	fsys := newFS()
	f := got[*memfs.File](t)(fsys.Create("/f"))
	got[int](t)(f.Write(bytes.Repeat([]byte("x"), 3*pageSize+100)))
	const size = 3*pageSize + 100
	for _, c := range []struct {
		mode        memfs.AllocMode
		off, length int64
		want        error
	}{
		{memfs.AllocCollapse, 1, pageSize, syscall.EINVAL},
		{memfs.AllocCollapse, 0, pageSize - 1, syscall.EINVAL},
		{memfs.AllocCollapse, pageSize, 3 * pageSize, syscall.EINVAL},
		{memfs.AllocCollapse, 4 * pageSize, pageSize, syscall.EINVAL},
		{memfs.AllocCollapse | memfs.AllocKeepSize, 0, pageSize, syscall.EOPNOTSUPP},
		{memfs.AllocInsert, 1, pageSize, syscall.EINVAL},
		{memfs.AllocInsert, 0, 100, syscall.EINVAL},
		{memfs.AllocInsert, 4 * pageSize, pageSize, syscall.EINVAL},
		{memfs.AllocInsert, 0, 1<<63 - pageSize, syscall.EFBIG},
		{memfs.AllocInsert | memfs.AllocKeepSize, 0, pageSize, syscall.EOPNOTSUPP},
		{memfs.AllocInsert | memfs.AllocCollapse, 0, pageSize, syscall.EOPNOTSUPP},
	} {
		wantError(t, "allocate", f.Allocate(c.mode, c.off, c.length), c.want)
		if st := stat(t, fsys, "/f"); st.Size != size || st.Blocks != 32 {
			t.Errorf("mode %#x at %d of %d left %+v", c.mode, c.off, c.length, st)
		}
	}
	must(t, f.Close())
	check(t, fsys)
}

package memfs_test

import (
	"io"
	"os"

	"stagefs/memfs"
)

// What the actors do with open files, their own and those that all of them share.

// slot is one of the open files that the actors share.
func (a *actor) slot() *memfs.File { return a.s.held[a.rng.IntN(heldMax)].Load() }

// keep gives an open file to all actors, or closes it.
func (a *actor) keep(f *memfs.File) {
	if a.rng.IntN(3) == 0 {
		f = a.s.held[a.rng.IntN(heldMax)].Swap(f)
	}
	if f != nil {
		a.did("f.close", f.Close())
	}
}

// fill writes bytes that tell the inode, so that no byte can be read from a file that was written to another.
func (a *actor) fill(f *memfs.File) {
	var st memfs.Stat
	if !a.did("f.stat", f.StatInto(&st)) || st.IsDir() {
		return
	}
	p := make([]byte, a.rng.IntN(3000))
	for i := range p {
		p[i] = mark(&st)
	}
	at := int64(a.rng.IntN(90_000))
	if a.rng.IntN(2) == 0 {
		_, err := f.Write(p)
		a.did("f.write", err)
	} else {
		_, err := f.WriteAt(p, at)
		a.did("f.writeat", err)
	}
}

func mark(st *memfs.Stat) byte { return byte(st.Ino%255 + 1) }

// inspect reads what fill has written.
func (a *actor) inspect(f *memfs.File) {
	var st memfs.Stat
	if !a.did("f.stat", f.StatInto(&st)) {
		return
	}
	p := make([]byte, 1+a.rng.IntN(3000))
	var n int
	var err error
	if a.rng.IntN(2) == 0 {
		n, err = f.Read(p)
	} else {
		n, err = f.ReadAt(p, int64(a.rng.IntN(90_000)))
	}
	a.did("f.read", err)
	a.inspectBytes(p[:n], mark(&st))
}

func (a *actor) inspectBytes(p []byte, mark byte) {
	for _, b := range p {
		if b != 0 && b != mark {
			a.faultf("read %#x from a file that only has %#x and zeros", b, mark)
			return
		}
	}
}

func (a *actor) hold() {
	v := a.view()
	if f, err := v.OpenFile(a.path(v), os.O_RDWR, 0); a.did("openwrite", err) {
		if f = a.s.held[a.rng.IntN(heldMax)].Swap(f); f != nil {
			a.did("f.close", f.Close())
		}
	}
}

func (a *actor) holdDir() {
	v := a.view()
	if f, err := v.Open(a.path(v)); a.did("open", err) {
		if f = a.s.held[a.rng.IntN(heldMax)].Swap(f); f != nil {
			a.did("f.close", f.Close())
		}
	}
}

func (a *actor) heldRead() {
	if f := a.slot(); f != nil {
		a.inspect(f)
	}
}

func (a *actor) heldWrite() {
	if f := a.slot(); f != nil {
		a.fill(f)
	}
}

func (a *actor) heldAttr() {
	f := a.slot()
	if f == nil {
		return
	}
	switch a.rng.IntN(7) {
	case 0:
		a.did("f.truncate", f.Truncate(int64(a.rng.IntN(100_000))))
	case 1:
		_, err := f.Seek(int64(a.rng.IntN(100_000)), []int{io.SeekStart, io.SeekEnd, 3, 4}[a.rng.IntN(4)])
		a.did("f.seek", err)
	case 2:
		_, err := f.Stat()
		a.did("f.stat", err)
	case 3:
		a.did("f.sync", f.Sync())
	case 4:
		a.did("f.chmod", f.Chmod(a.mode()))
	case 5:
		uid, gid := a.owner()
		a.did("f.chown", f.Chown(uid, gid))
	case 6:
		a.did("f.chdir", f.Chdir())
	}
}

func (a *actor) heldList() {
	if f := a.slot(); f != nil {
		a.list(f)
	}
}

// list reads a few entries in one of three ways.
func (a *actor) list(f *memfs.File) {
	var err error
	n := 1 + a.rng.IntN(4)
	switch a.rng.IntN(4) {
	case 0:
		_, err = f.ReadDir(n)
	case 1:
		_, err = f.Readdir(n)
	case 2:
		_, err = f.Readdirnames(n)
	case 3:
		_, err = f.Seek(0, io.SeekStart)
		a.did("f.seek", err)
		_, err = f.ReadDir(-1)
	}
	a.did("f.readdir", err)
}

func (a *actor) release() {
	if f := a.s.held[a.rng.IntN(heldMax)].Swap(nil); f != nil {
		a.did("f.close", f.Close())
	}
}

package memfs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// tape is a list of calls, as bytes.
type tape []byte

func (p *tape) next() int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b)
}

// path takes a path of one to three components off the tape.
func (p *tape) path() string {
	shape := p.next()
	parts := make([]string, 1+shape%3)
	for i := range parts {
		parts[i] = [...]string{"a", "b", "c", "d", "a", "b", "..", "."}[p.next()%8]
	}
	path := strings.Join(parts, "/")
	if shape&8 != 0 {
		path = "/" + path
	}
	if shape&0x70 == 0x70 {
		path += "/"
	}
	return path
}

// play is one tape on a file system and on the model.
type play struct {
	t     testing.TB
	fsys  *memfs.FS
	model *model
	tape  tape
	held  [3]*memfs.File
	nodes [3]*node // what the open files are in the model
	log   strings.Builder
}

// playOps makes the calls of a tape on both and compares each error, and all there is at the end.
func playOps(t testing.TB, calls []byte) {
	p := &play{t: t, model: newModel(), tape: calls}
	p.fsys = newFS(variants[p.tape.next()%len(variants)].options...)
	for len(p.tape) > 0 && !t.Failed() {
		p.call()
	}
	p.compareAll()
	for _, f := range p.held {
		if f != nil {
			must(t, f.Close())
		}
	}
	check(t, p.fsys)
	if t.Failed() {
		t.Log(p.log.String())
	}
}

// same compares the outcome of one call.
func (p *play) same(err error, want syscall.Errno, format string, args ...any) {
	p.t.Helper()
	fmt.Fprintf(&p.log, format+": %v\n", append(args, err)...)
	if e := errnoOf(err); e != want || (err == nil) != (want == noError) {
		p.t.Errorf(format+": %v, model %v", append(args, err, want)...)
	}
}

func (p *play) call() {
	fsys, m := p.fsys, p.model
	switch op := p.tape.next() % 16; op {
	case 0, 1:
		path := p.tape.path()
		p.same(fsys.Mkdir(path, 0o755), m.mkdir(path), "mkdir %s", path)
	case 2, 3:
		p.create(op == 3)
	case 4, 5:
		path := p.tape.path()
		p.same(fsys.Remove(path), m.remove(path), "remove %s", path)
	case 6, 7, 8:
		from, to := p.tape.path(), p.tape.path()
		p.same(fsys.Rename(from, to), m.rename(from, to), "rename %s to %s", from, to)
	case 9:
		from, to := p.tape.path(), p.tape.path()
		p.same(fsys.Link(from, to), m.link(from, to), "link %s as %s", from, to)
	case 10:
		target, path := p.tape.path(), p.tape.path()
		p.same(fsys.Symlink(target, path), m.symlink(target, path), "symlink %s at %s", target, path)
	case 11:
		p.truncate()
	case 12:
		p.hold()
	case 13:
		p.write()
	case 14:
		p.read()
	case 15:
		path := p.tape.path()
		_, want := m.lookup(path, always, true)
		_, err := fsys.Stat(path)
		p.same(err, want, "stat %s", path)
		_, want = m.lookup(path, slashed, true)
		_, err = fsys.Lstat(path)
		p.same(err, want, "lstat %s", path)
	}
}

// contents is some bytes off the tape.
func (p *play) contents() []byte {
	b := p.tape.next()
	return bytes.Repeat([]byte{byte(b | 1)}, b)
}

func (p *play) create(exclusive bool) {
	path, data := p.tape.path(), p.contents()
	flag := os.O_WRONLY | os.O_CREATE
	if exclusive {
		flag |= os.O_EXCL
	} else {
		flag |= os.O_APPEND
	}
	n, want := p.model.create(path, exclusive)
	f, err := p.fsys.OpenFile(path, flag, 0o644)
	p.same(err, want, "create %s, exclusive: %v", path, exclusive)
	if err == nil && want == noError {
		n.writeAt(data, len(n.data))
		got[int](p.t)(f.Write(data))
		must(p.t, f.Close())
	}
}

func (p *play) truncate() {
	path, size := p.tape.path(), p.tape.next()*16
	n, want := p.model.open(path)
	p.same(p.fsys.Truncate(path, int64(size)), want, "truncate %s to %d", path, size)
	if want == noError {
		n.resize(size)
	}
}

func (p *play) hold() {
	path, slot := p.tape.path(), p.tape.next()%len(p.held)
	n, want := p.model.open(path)
	f, err := p.fsys.OpenFile(path, os.O_RDWR, 0)
	p.same(err, want, "open %s", path)
	if err != nil || want != noError {
		return
	}
	if p.held[slot] != nil {
		must(p.t, p.held[slot].Close())
	}
	p.held[slot], p.nodes[slot] = f, n
}

func (p *play) write() {
	slot, at, data := p.tape.next()%len(p.held), p.tape.next()*8, p.contents()
	if f := p.held[slot]; f != nil {
		_, err := f.WriteAt(data, int64(at))
		p.same(err, noError, "write %d bytes at %d of file %d", len(data), at, slot)
		p.nodes[slot].writeAt(data, at)
	}
}

func (p *play) read() {
	slot := p.tape.next() % len(p.held)
	f := p.held[slot]
	if f == nil {
		return
	}
	data := make([]byte, 8192)
	count, _ := f.ReadAt(data, 0)
	n := p.nodes[slot]
	if !bytes.Equal(data[:count], n.data) {
		p.t.Errorf("open file %d: %x, model %x", slot, data[:count], n.data)
	}
	var st memfs.Stat
	must(p.t, f.StatInto(&st))
	if int(st.Nlink) != n.nlink || int(st.Size) != len(n.data) {
		p.t.Errorf("open file %d: %d links, size %d; model %d, %d", slot, st.Nlink, st.Size, n.nlink, len(n.data))
	}
}

// compareAll compares the trees, and the inodes in use.
func (p *play) compareAll() {
	var got, want strings.Builder
	p.dump("", &got)
	p.model.root.dump("", &want)
	if got.String() != want.String() {
		p.t.Errorf("at the end\n%s\nmodel\n%s", got.String(), want.String())
	}
	inodes := int64(strings.Count(want.String(), "\n")) // one for each name, as tmpfs counts
	for i, n := range p.nodes {
		if n != nil && n.nlink == 0 && !contains(p.nodes[:i], n) {
			inodes++
		}
	}
	if used := p.fsys.Statfs().InodesUsed; used != inodes {
		p.t.Errorf("%d inodes in use, model %d", used, inodes)
	}
}

func contains(nodes []*node, n *node) bool {
	for _, other := range nodes {
		if other == n {
			return true
		}
	}
	return false
}

// dump describes a tree as the model's does.
func (p *play) dump(path string, out *strings.Builder) {
	st := stat(p.t, p.fsys, path+"/.")
	fmt.Fprintf(out, "%s %v nlink=%d %q %x\n", path, fs.ModeDir, st.Nlink, "", "")
	for _, entry := range got[[]fs.DirEntry](p.t)(p.fsys.ReadDir(path + "/")) {
		name := path + "/" + entry.Name()
		st := stat(p.t, p.fsys, name)
		switch mode := st.FileMode(); {
		case mode.IsDir():
			p.dump(name, out)
			continue
		case mode.IsRegular():
			data := got[[]byte](p.t)(p.fsys.ReadFile(name))
			fmt.Fprintf(out, "%s %v nlink=%d %q %x\n", name, mode.Type(), st.Nlink, "", data)
		default:
			target := got[string](p.t)(p.fsys.Readlink(name))
			fmt.Fprintf(out, "%s %v nlink=%d %q %x\n", name, mode.Type(), st.Nlink, target, "")
		}
	}
}

func TestOpsAgainstModel(t *testing.T) {
	rng := seeded(t)
	for i := 0; i < rounds(1500) && !t.Failed(); i++ {
		calls := make([]byte, rng.IntN(1500))
		for i := range calls {
			calls[i] = byte(rng.Uint32())
		}
		playOps(t, calls)
	}
}

func FuzzOps(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 1, 0, 1, 9, 6, 0, 1, 0, 2})
	f.Add([]byte{1, 10, 0, 1, 0, 0, 3, 0, 0, 20, 12, 0, 0, 0, 4, 0, 0, 14, 0})
	f.Add([]byte{4, 0, 0, 0, 0, 1, 0, 1, 6, 0, 0, 1, 0, 1, 9, 1, 0, 1, 0, 2})
	f.Fuzz(func(t *testing.T, calls []byte) { playOps(t, calls[:min(len(calls), 2000)]) })
}

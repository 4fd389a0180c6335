package memfs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing/fstest"
	"time"

	"stagefs/memfs"
)

// op is something that an actor does; weight is how often, relative to the others.
type op struct {
	name   string
	weight int
	run    func(a *actor)
}

var ops []op // assigned below, as some of them mention the table

var weights []int // sums of ops' weights

func init() {
	ops = []op{
		{"create", 12, (*actor).create}, {"exclusive", 6, (*actor).createExclusive}, {"append", 6, (*actor).appendTo},
		{"write", 5, (*actor).writeTo}, {"read", 6, (*actor).readFrom}, {"hold", 4, (*actor).hold},
		{"hold dir", 2, (*actor).holdDir}, {"held read", 4, (*actor).heldRead}, {"held write", 4, (*actor).heldWrite},
		{"held attr", 4, (*actor).heldAttr}, {"held list", 3, (*actor).heldList}, {"release", 2, (*actor).release},
		{"unlink open", 2, (*actor).unlinkOpen}, {"temp", 2, (*actor).temp}, {"mkdir", 12, (*actor).mkdir},
		{"mkdirall", 2, (*actor).mkdirAll}, {"remove", 4, (*actor).remove}, {"removeall", 1, (*actor).removeAll},
		{"rename", 12, (*actor).rename}, {"link", 8, (*actor).link}, {"symlink", 6, (*actor).symlink},
		{"readlink", 3, (*actor).readlink}, {"stat", 10, (*actor).stat}, {"attr", 6, (*actor).attr},
		{"truncate", 4, (*actor).truncate}, {"readdir", 3, (*actor).readDir}, {"small batches", 3, (*actor).listSmall},
		{"iofs", 1, (*actor).walkDir}, {"copyfs", 1, (*actor).copyFS}, {"repair", 2, (*actor).repair},
		{"views", 2, (*actor).changeView},
	}
	sum := 0
	for i := range ops {
		sum += ops[i].weight
		weights = append(weights, sum)
	}
}

// pick chooses an operation by its weight.
func pick(rng *rand.Rand) int {
	return sort.SearchInts(weights, rng.IntN(weights[len(weights)-1])+1)
}

// view chooses who acts: root, alice, bob or, through a confined view, one of them.
func (a *actor) view() *memfs.FS { return a.views[[8]int{0, 0, 0, 0, 1, 2, 3, 3}[a.rng.IntN(8)]] }

// path makes a path of one to four names out of four, with some of the oddities that a path may have.
func (a *actor) path(v *memfs.FS) string {
	var path strings.Builder
	confined := v == a.views[len(a.views)-1]
	if !confined && a.rng.IntN(8) > 0 {
		path.WriteByte('/')
	}
	depth := 1 + [10]int{0, 0, 0, 1, 1, 1, 1, 2, 2, 3}[a.rng.IntN(10)]
	for i := range depth {
		if i > 0 {
			path.WriteByte('/')
		}
		switch a.rng.IntN(40) {
		case 0:
			path.WriteString("..")
		case 1:
			path.WriteString(".")
		case 2:
			path.WriteByte('/')
			fallthrough
		default:
			path.WriteByte("abcd"[a.rng.IntN(4)])
		}
	}
	if a.rng.IntN(30) == 0 {
		path.WriteByte('/')
	}
	name := path.String()
	if confined {
		name = strings.TrimLeft(name, "/")
	}
	return name
}

func (a *actor) openFile(call string, flag int) {
	v := a.view()
	f, err := v.OpenFile(a.path(v), flag, fs.FileMode([]int{0o666, 0o644, 0o600}[a.rng.IntN(3)]))
	if !a.did(call, err) {
		return
	}
	a.fill(f)
	a.inspect(f)
	a.keep(f)
}

func (a *actor) create()          { a.openFile("create", os.O_RDWR|os.O_CREATE|os.O_TRUNC) }
func (a *actor) createExclusive() { a.openFile("exclusive", os.O_RDWR|os.O_CREATE|os.O_EXCL) }
func (a *actor) appendTo()        { a.openFile("append", os.O_RDWR|os.O_CREATE|os.O_APPEND) }
func (a *actor) writeTo()         { a.openFile("openwrite", os.O_RDWR) }
func (a *actor) readFrom()        { a.openFile("open", os.O_RDONLY) }

func (a *actor) unlinkOpen() {
	v := a.view()
	path := a.path(v)
	f, err := v.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if !a.did("append", err) {
		return
	}
	a.did("remove", v.Remove(path))
	a.fill(f)
	a.inspect(f)
	a.keep(f)
}

func (a *actor) temp() {
	v := a.view()
	dir := a.path(v)
	f, err := v.CreateTemp(dir, "t*.tmp")
	if a.did("createtmp", err) {
		a.did("f.close", f.Close())
		if v != a.views[3] { // whose name is not a path of the view
			a.did("remove", v.Remove(f.Name()))
		}
	}
	name, err := v.MkdirTemp(dir, "t*.d")
	if a.did("mkdirtmp", err) {
		a.did("remove", v.Remove(name))
	}
}

func (a *actor) mkdir() {
	v := a.view()
	a.did("mkdir", v.Mkdir(a.path(v), 0o777))
}

func (a *actor) mkdirAll() {
	v := a.view()
	a.did("mkdirall", v.MkdirAll(a.path(v), 0o777))
}

func (a *actor) remove() {
	v := a.view()
	a.did("remove", v.Remove(a.path(v)))
}

func (a *actor) removeAll() {
	v := a.view()
	a.did("removeall", v.RemoveAll(a.path(v)))
}

func (a *actor) rename() {
	v := a.view()
	from, to := a.path(v), a.path(v)
	if a.rng.IntN(12) == 0 {
		to = from + "/" + a.path(v) // below itself
	}
	a.did("rename", v.Rename(from, to))
}

func (a *actor) link() {
	v := a.view()
	a.did("link", v.Link(a.path(v), a.path(v)))
}

func (a *actor) symlink() {
	v := a.view()
	target := a.path(a.views[a.rng.IntN(4)])
	if a.rng.IntN(8) == 0 {
		target = strings.Repeat("./", 64) + target // long enough for a page
	}
	if target != "" {
		a.did("symlink", v.Symlink(target, a.path(v)))
	}
}

func (a *actor) readlink() {
	v := a.view()
	_, err := v.Readlink(a.path(v))
	a.did("readlink", err)
}

func (a *actor) stat() {
	v := a.view()
	path := a.path(v)
	var st memfs.Stat
	switch a.rng.IntN(4) {
	case 0:
		_, err := v.Stat(path)
		a.did("stat", err)
	case 1:
		_, err := v.Lstat(path)
		a.did("lstat", err)
	case 2:
		a.did("stat", v.StatInto(path, &st))
	case 3:
		a.did("lstat", v.LstatInto(path, &st))
	}
}

func (a *actor) mode() fs.FileMode {
	modes := [...]fs.FileMode{0o777, 0o777, 0o755, 0o770, 0o700, 0o666, 0o600, 0o777 | fs.ModeSticky,
		0o777 | fs.ModeSetgid, 0o755 | fs.ModeSetuid}
	return modes[a.rng.IntN(len(modes))]
}

func (a *actor) owner() (uid, gid int) {
	return []int{-1, 0, 1000, 1001}[a.rng.IntN(4)], []int{-1, 0, 1000, 2000}[a.rng.IntN(4)]
}

func (a *actor) attr() {
	v := a.view()
	path := a.path(v)
	uid, gid := a.owner()
	switch a.rng.IntN(4) {
	case 0:
		a.did("chmod", v.Chmod(path, a.mode()))
	case 1:
		a.did("chown", v.Chown(path, uid, gid))
	case 2:
		a.did("chown", v.Lchown(path, uid, gid))
	case 3:
		a.did("chtimes", v.Chtimes(path, time.Unix(a.rng.Int64N(1e9), 0), time.Time{}))
	}
}

// repair makes a way through the tree again that all may go, so that not too many calls end at what is forbidden.
func (a *actor) repair() {
	v := a.views[0]
	path := a.path(v)
	a.did("mkdirall", v.MkdirAll(path, 0o777))
	a.did("chmod", v.Chmod(path, 0o777))
}

func (a *actor) truncate() {
	v := a.view()
	path := a.path(v)
	switch a.rng.IntN(4) {
	case 0:
		a.did("writefile", v.WriteFile(path, nil, 0o666))
	case 1:
		_, err := v.ReadFile(path)
		a.did("readfile", err)
	default:
		a.did("truncate", v.Truncate(path, int64(a.rng.IntN(100_000))))
	}
}

func (a *actor) readDir() {
	v := a.view()
	entries, err := v.ReadDir(a.path(v))
	a.did("readdir", err)
	for i := 1; i < len(entries); i++ {
		if entries[i-1].Name() >= entries[i].Name() {
			a.faultf("ReadDir: %q comes before %q", entries[i-1].Name(), entries[i].Name())
		}
	}
}

func (a *actor) listSmall() {
	v := a.view()
	f, err := v.Open(a.path(v))
	if !a.did("open", err) {
		return
	}
	for range 4 {
		a.list(f)
	}
	a.keep(f)
}

func (a *actor) walkDir() {
	fsys := a.view().FS()
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			a.did("walkdir", err)
			return fs.SkipDir
		}
		if strings.Count(path, "/") > 4 {
			return fs.SkipDir
		}
		return nil
	})
	a.did("walkdir", err)
}

var smallTree = fstest.MapFS{
	"a":   {Mode: fs.ModeDir | 0o755},
	"a/b": {Mode: 0o644},
	"c":   {Mode: 0o600},
	"d":   {Data: []byte("a/b"), Mode: fs.ModeSymlink | 0o777},
}

func (a *actor) copyFS() {
	v := a.view()
	a.did("copyfs", v.CopyFS(a.path(v), smallTree))
}

// changeView moves working directories and roots.
func (a *actor) changeView() {
	i := a.rng.IntN(len(a.views))
	v := a.views[i]
	switch {
	case i == len(a.views)-1:
		from := a.views[a.rng.IntN(3)]
		confined, err := from.OpenRoot(a.path(from))
		if a.did("openroot", err) {
			a.views[i] = confined
			a.did("f.close", v.Close())
		}
	case a.rng.IntN(4) == 0:
		a.did("chdir", v.Chdir("/"))
	default:
		a.did("chdir", v.Chdir(a.path(v)))
		_, err := v.Getwd()
		a.did("getwd", err)
	}
	st := a.s.fsys.Statfs()
	a.did("statfs", nil)
	if a.s.limited && (st.InodesUsed > st.Inodes || st.BlocksUsed > st.Blocks) {
		a.faultf("more in use than there is: %s", fmt.Sprintf("%+v", st))
	}
}

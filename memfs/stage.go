package memfs

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"stagefs/stage"
)

// What the stage is made of here.
type (
	pivots    = stage.Stage[*inode, access]
	pivotPool = stage.Pool[*inode, access]
	poolBase  = stage.Base[*inode]
	stageBase = atomic.Pointer[poolBase]
)

// WithStage sets how popular directories become the start of walks; see package stage. Of WithStage and WithoutStage the
// last one counts; without either the stage is on, with its defaults.
func WithStage(c stage.Config) Option { return func(o *config) { o.stage, o.staged = c, true } }

// WithoutStage makes every walk begin at the root, or at the working directory.
func WithoutStage() Option { return func(o *config) { o.staged = false } }

// modePass is what a directory's mode has if everybody may pass it, in a view from OpenRoot, too.
const modePass = 0o555

// StageNode implements stage.Directory.
func (n *inode) StageNode() *stage.Node { return &n.dir.stage }

// StagePlace implements stage.Directory.
func (n *inode) StagePlace() (parent *inode, name string, ok bool) {
	up := n.dir.up.Load()
	return up.parent, up.name, !n.dir.entries.Dead()
}

// StageGuard implements stage.Directory.
func (n *inode) StageGuard() *access { return n.access.Load().guard() }

// guard returns a directory's mode and owner unless everybody may pass.
func (a *access) guard() *access {
	if a.mode&(modePass|modeHasACL) != modePass {
		return a
	}
	return nil
}

// skip is what the stage is for: it goes at once as far as a pivot leads on path, if the user may search every directory
// on the way. It returns what quick returns.
func (w *walker) skip(pool *pivotPool, dir *inode, path string, at int, readable bool) (*inode, int, *inode) {
	rest := path[at:]
	base := pool.Root()
	if dir != w.fs.sb.root {
		base = w.fs.base(pool, dir)
	}
	p, from, to := pool.Find(base, rest)
	if p == nil {
		return dir, at, nil
	}
	end := pool.End(base, p, to)
	if end == len(rest) || end < len(rest) && rest[end] == '/' && onlySlashes(rest[end:]) { // the last name is to be walked
		if to--; to == from {
			return dir, at, nil
		}
		end = pool.End(base, p, to)
	}
	if guards := p.Guards(from, to); guards != nil && !w.fs.cred.mayPass(guards, readable) {
		return dir, at, nil // the walk finds out where it ends
	}
	next := p.Dir(to)
	if end > len(rest) { // to the end of the path
		w.skipped = to - from
		return p.Dir(to - 1), at + pool.End(base, p, to-1), next
	}
	if readable && !w.fs.cred.may(next.access.Load(), mayRead) {
		return dir, at, nil
	}
	w.skipped = to - from
	return next, at + end, nil
}

func onlySlashes(path string) bool { return strings.TrimLeft(path, "/") == "" }

// mayPass reports whether c may search, or in a view from OpenRoot open, all the directories.
func (c *Cred) mayPass(guards []*access, readable bool) bool {
	want := uint32(mayExec)
	if readable {
		want |= mayRead
	}
	for _, a := range guards {
		if !c.may(a, want) {
			return false
		}
	}
	return true
}

// base returns the place of the view's root or working directory in a pool, which the view keeps as long as the pool
// works.
func (f *FS) base(pool *pivotPool, dir *inode) *poolBase {
	cell := f.cwdBase
	if dir == f.root {
		cell = f.rootBase
	}
	if b := cell.Load(); pool.Has(b, dir) {
		return b
	}
	b := pool.Base(dir)
	cell.Store(b)
	return b
}

// changing comes before n moves or closes, and changed after it: no walk skips n as what it was. Latches may be held.
func (sb *superblock) changing(n *inode, c stage.Change) {
	switch {
	case sb.stage != nil:
		if n.dir != nil {
			sb.stage.Begin(n, c)
		}
	case sb.paths != nil:
		sb.paths.Change(Node{n})
	}
}

func (sb *superblock) changed(n *inode) {
	switch {
	case sb.stage != nil:
		if n.dir != nil {
			sb.stage.End(n)
		}
	case sb.paths != nil:
		sb.paths.Changed(Node{n})
	}
}

// Stage steers and watches the stage of a file system; FS.Promote, which takes paths, is the one part that is not here.
// The first pivots come an eighth of a second after New (a sixteenth of the period), then every two seconds, if there are
// lookups. All views have the same stage, whoever they act as. One that is off does nothing: Run waits for the end of its
// context, all else returns zero values.
type Stage struct {
	s        *pivots
	confined bool
}

// Stage returns the file system's stage.
func (f *FS) Stage() Stage { return Stage{f.sb.stage, f.confined} }

// Step does at once what the lookups do once a period: it makes a pool of the most popular directories since the last
// time. It reports whether that is another than the one before.
func (s Stage) Step() bool { return s.s != nil && s.s.Step() }

// Run calls Step whenever a pool is due, until ctx ends, and returns ctx's error. Where it runs, lookups find nothing to
// do.
func (s Stage) Run(ctx context.Context) error {
	if s.s == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.s.Run(ctx)
}

// SetPeriod changes the time between two pools; 0 or less means stage.DefaultPeriod.
func (s Stage) SetPeriod(d time.Duration) {
	if s.s != nil {
		s.s.SetPeriod(d)
	}
}

// Stats counts what the stage did.
func (s Stage) Stats() stage.Stats {
	if s.s == nil {
		return stage.Stats{}
	}
	return s.s.Stats()
}

// Pivots returns the paths of the directories in the pool, from the root of the file system on, in order; of those that a
// change has cut, what is left. A directory that a pivot leads through is none of its own. Views from OpenRoot, which shall
// not see what is outside, are told of none.
func (s Stage) Pivots() []string {
	if s.s == nil || s.confined {
		return nil
	}
	paths := s.s.Pivots()
	for i := range paths {
		paths[i] = "/" + paths[i]
	}
	return paths
}

// find returns what is at a path, for calls that os does not have.
func (f *FS) find(path string) (*inode, error) {
	if f.confined {
		return f.findConfined(path, walkFollow)
	}
	n, e := f.lookup(path, walkFollow)
	return n, asError(e)
}

// Promote makes a pool of the given directories, the first ones if there are more than it holds, in place of the present
// one; without directories, an empty one. The names are resolved as by Stat, so each must be a directory that the user may
// reach; the first that is not is returned as an *fs.PathError, and the pool stays. A directory above another one, and one
// that is named twice, take no room.
//
// It lasts as any other pool does: the next step may find others more popular. To keep it, set a long period, as by
// SetPeriod(math.MaxInt64). A directory that is changed meanwhile may be left out. Where the stage is off, the names are
// checked and nothing else happens. The pool is that of all views: what is promoted makes lookups faster or slower, but
// changes nothing that they answer.
func (f *FS) Promote(dirs ...string) error {
	wanted := make([]*inode, 0, len(dirs))
	for _, dir := range dirs {
		n, err := f.find(dir)
		if err == nil && !n.isDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return wrapPath("promote", dir, err)
		}
		wanted = append(wanted, n)
	}
	if f.sb.stage != nil {
		f.sb.stage.Promote(wanted)
	}
	return nil
}

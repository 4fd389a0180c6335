package memfs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// pivotStorm is a file system in which some goroutines change directories, each its own, while others look up paths of eight
// names through them, and pools are made all the time.
type pivotStorm struct {
	fsys    *memfs.FS
	changes int
	watched []*watched
	movers  []func(t *testing.T)
	dirs    []string // for Promote
}

// TestStageConcurrent holds every answer of lookups beside changes against the states that there were meanwhile.
func TestStageConcurrent(t *testing.T) {
	busy := func(kind stage.Kind) memfs.Option {
		return memfs.WithStage(stage.Config{Pivots: 6, Threshold: -1, Period: 1, Sample: 1, Pool: kind})
	}
	for _, c := range []struct {
		name    string
		options []memfs.Option
	}{
		{"tree", []memfs.Option{busy(stage.Tree)}},
		{"list", []memfs.Option{busy(stage.List)}},
		{"hash", []memfs.Option{busy(stage.Hash)}},
		{"dcache=0", []memfs.Option{busy(stage.Tree), memfs.WithDcache(0)}},
		{"dcache=1", []memfs.Option{busy(stage.Tree), memfs.WithDcache(1)}},
		{"period=1h", []memfs.Option{memfs.WithStage(stage.Config{Threshold: -1, Period: time.Hour, Sample: 1})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for end := time.Now().Add(stageDuration(0)); ; {
				newStorm8(t, rounds(600), c.options...).run(t)
				if t.Failed() || !time.Now().Before(end) {
					return
				}
			}
		})
	}
}

func newStorm8(t *testing.T, changes int, options ...memfs.Option) *pivotStorm {
	s := &pivotStorm{fsys: newFS(options...), changes: changes}
	s.still(t)
	s.moving(t)
	s.closing(t)
	s.changingOwner(t)
	s.recreated(t)
	s.exchanged(t)
	return s
}

// run lets all change and look until the changes are made.
func (s *pivotStorm) run(t *testing.T) {
	look := func(int) { s.watched[rand.IntN(len(s.watched))].look(t) }
	stop := meanwhile(look, look, look,
		func(int) { s.fsys.Stage().Step() },
		func(int) {
			dirs := make([]string, 4)
			for i := range dirs {
				dirs[i] = s.dirs[rand.IntN(len(s.dirs))]
			}
			wantError(t, "promote", s.fsys.Promote(dirs...), nil, fs.ErrNotExist)
		})
	calls := make([]func(), len(s.movers))
	for i, mover := range s.movers {
		calls[i] = func() { mover(t) }
	}
	together(calls...)
	stop()
	for _, w := range s.watched {
		w.look(t)
	}
	check(t, s.fsys)
	if st := s.fsys.Stage().Stats(); st.Hits == 0 || st.Swaps == 0 || st.Invalidations == 0 || st.Cut == 0 {
		t.Errorf("the stage was not used: %+v", st)
	}
}

// watch adds a path.
func (s *pivotStorm) watch(w watched) *watched {
	s.watched = append(s.watched, &w)
	return &w
}

// mover adds a goroutine that makes changes of h, and looks at what it is responsible for after each: at once, and, as
// a new pool is there.
func (s *pivotStorm) mover(h *history, own []*watched, call func(k int64) error, know func(k int64)) {
	s.movers = append(s.movers, func(t *testing.T) {
		for i := 0; i < s.changes && !t.Failed() && h.change(t, call, know); i++ {
			for _, w := range own {
				w.look(t)
			}
			if i%4 == 0 {
				s.fsys.Stage().Step()
				for _, w := range own {
					w.look(t)
				}
			}
		}
	})
}

// file makes a file with all directories above it, and returns its inode number.
func (s *pivotStorm) file(t *testing.T, path string) uint64 {
	t.Helper()
	must(t, s.fsys.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755))
	must(t, s.fsys.WriteFile(path, nil, 0o644))
	s.dirs = append(s.dirs, path[:strings.LastIndexByte(path, '/')])
	return stat(t, s.fsys, path).Ino
}

// still is a part of the tree that does not change: what is there is always found.
func (s *pivotStorm) still(t *testing.T) {
	ino := s.file(t, "/still/2/3/4/5/6/7/f")
	for _, path := range []string{"/still/2/3/4/5/6/7/f", "/still/2/3/../3/4/./5//6/7/f"} {
		s.watch(watched{what: "still", view: s.fsys.As(alice), path: path, legal: fixed(ino)})
	}
	s.watch(watched{what: "missing", view: s.fsys.As(bob), path: "/still/2/3/4/5/6/7/g",
		legal: func(s sight, _ ...int64) bool { return s == gone }})
	inside := s.fsys.As(carol)
	must(t, inside.Chdir("/still/2"))
	s.watch(watched{what: "still, relative", view: inside, path: "3/4/5/6/7/f", legal: fixed(ino)})
}

// moving has a directory that is always at one of two places, and another one below it that is, too.
func (s *pivotStorm) moving(t *testing.T) {
	ino := s.file(t, "/x/A/3/4/m/6/7/f")
	must(t, s.fsys.Mkdir("/x/other", 0o755))
	inside, below := s.fsys.As(root), s.fsys.As(bob)
	must(t, inside.Chdir("/x/A/3"))
	confined := got[*memfs.FS](t)(below.OpenRoot("/x/A"))
	outer, inner := new(history), new(history)
	tops, mids := []string{"/x/A", "/x/B", "/x/other/A"}, []string{"/m", "/n"}
	s.dirs = append(s.dirs, "/x/B/3/4/n/6", "/x/other/A/3/4/m", "/x/A/3")

	at := func(list []string, k int64, i int) bool { return int(k)%len(list) == i }
	seen := make([]atomic.Int64, len(tops))
	dir := stat(t, s.fsys, "/x/A/3/4").Ino
	var own, ownInner []*watched
	for i, top := range tops {
		w := watched{what: "moving", view: s.fsys, path: top + "/3/4", of: []*history{outer}, seen: &seen[i],
			legal: func(s sight, k ...int64) bool {
				return at(tops, k[0], i) && s == sight{ino: dir} || !at(tops, k[0], i) && s == gone
			}}
		for j := range seen {
			w.others = append(w.others, &seen[j])
		}
		own = append(own, s.watch(w))
		for j, mid := range mids {
			w := watched{what: "moving twice", view: s.fsys.As(carol), path: top + "/3/4" + mid + "/6/7/f",
				of: []*history{outer, inner}}
			w.legal = func(s sight, k ...int64) bool {
				if at(tops, k[0], i) && at(mids, k[1], j) {
					return s == sight{ino: ino}
				}
				return s == gone
			}
			own = append(own, s.watch(w))
			ownInner = append(ownInner, own[len(own)-1])
		}
	}
	for j, mid := range mids {
		legal := func(s sight, k ...int64) bool {
			return at(mids, k[0], j) && s == sight{ino: ino} || !at(mids, k[0], j) && s == gone
		}
		for _, w := range []watched{
			{what: "moving with the working directory", view: inside, path: "4" + mid + "/6/7/f"},
			{what: "moving with the root", view: confined, path: "3/4" + mid + "/6/7/f"},
		} {
			w.of, w.legal, w.seen = []*history{inner}, legal, new(atomic.Int64)
			ownInner = append(ownInner, s.watch(w))
		}
	}
	s.mover(outer, own, func(k int64) error { return s.fsys.Rename(tops[(k-1)%3], tops[k%3]) }, nil)
	s.mover(inner, ownInner, func(k int64) error { return inside.Rename("4"+mids[(k-1)%2], "4"+mids[k%2]) }, nil)
}

// closing has a directory that lets some through and others not, sometimes those, sometimes these.
func (s *pivotStorm) closing(t *testing.T) {
	ino := s.file(t, "/m/2/3/4/5/6/7/f")
	must(t, s.fsys.Chown("/m/2/3", int(alice.Uid), 2000))
	modes := []fs.FileMode{0o755, 0, 0o755, 0o700, 0o711, 0o070, 0o007, 0o750, 0o733, 0o440, 0o110}
	h, seen := new(history), new(atomic.Int64)
	users := []struct {
		name  string
		cred  memfs.Cred
		shift int
	}{{"alice", alice, 6}, {"bob", bob, 3}, {"carol", carol, 0}, {"root", root, -1}}
	var own []*watched
	for _, u := range users {
		v := s.fsys.As(u.cred)
		confined := got[*memfs.FS](t)(v.OpenRoot("/m"))
		above, below := s.fsys.As(u.cred), s.fsys.As(u.cred)
		must(t, above.Chdir("/m/2"))
		must(t, below.Chdir("/m/2/3/4"))
		may := func(want fs.FileMode, k int64) bool {
			return u.shift < 0 || modes[int(k)%len(modes)]>>u.shift&want == want
		}
		search := func(s sight, k ...int64) bool {
			return may(1, k[0]) && s == sight{ino: ino} || !may(1, k[0]) && s == shut
		}
		open := func(s sight, k ...int64) bool { // to read it is checked first, to search it then
			may := may(4, k[0]) && may(1, k[1])
			return k[1] >= k[0] && (may && s == sight{ino: ino} || !may && s == shut)
		}
		for _, w := range []watched{
			{what: "closing", view: v, path: "/m/2/3/4/5/6/7/f", legal: search},
			{what: "closing below the working directory", view: above, path: "3/4/5/6/7/f", legal: search},
			{what: "closing above the working directory", view: below, path: "5/6/7/f", legal: fixed(ino)},
		} {
			w.what, w.of, w.seen = w.what+" for "+u.name, []*history{h}, seen
			own = append(own, s.watch(w))
		}
		own = append(own, s.watch(watched{what: "closing below the root for " + u.name, view: confined,
			path: "2/3/4/5/6/7/f", of: []*history{h, h}, legal: open}))
	}
	s.mover(h, own, func(k int64) error { return s.fsys.Chmod("/m/2/3", modes[int(k)%len(modes)]) }, nil)
}

// changingOwner has a directory that belongs to one after the other.
func (s *pivotStorm) changingOwner(t *testing.T) {
	ino := s.file(t, "/o/2/3/4/5/6/7/f")
	must(t, s.fsys.Chmod("/o/2/3/4/5/6", 0o700))
	must(t, s.fsys.Chown("/o/2/3/4/5/6", int(alice.Uid), -1))
	owners := []memfs.Cred{alice, bob, carol}
	h, seen := new(history), new(atomic.Int64)
	var own []*watched
	for i, cred := range owners {
		own = append(own, s.watch(watched{what: fmt.Sprint("changing owner, for ", cred.Uid), view: s.fsys.As(cred),
			path: "/o/2/3/4/5/6/7/f", of: []*history{h}, seen: seen,
			legal: func(s sight, k ...int64) bool {
				return int(k[0])%3 == i && s == sight{ino: ino} || int(k[0])%3 != i && s == shut
			}}))
	}
	s.mover(h, own, func(k int64) error { return s.fsys.Chown("/o/2/3/4/5/6", int(owners[k%3].Uid), -1) }, nil)
}

// recreated has two directories, one in the other, that are removed and made again. New ones have new numbers.
func (s *pivotStorm) recreated(t *testing.T) {
	const outer, inner = "/r/2/3/4/5/6/r", "/r/2/3/4/5/6/r/q"
	must(t, s.fsys.MkdirAll(inner, 0o755))
	s.dirs = append(s.dirs, outer, inner)
	h := new(history)
	calls := []func() error{
		func() error { return s.fsys.Mkdir(inner, 0o755) },
		func() error { return s.fsys.Remove(inner) },
		func() error { return s.fsys.Remove(outer) },
		func() error { return s.fsys.Mkdir(outer, 0o755) },
	}
	there := map[string][4]bool{outer: {true, true, false, true}, inner: {true, false, false, false}}
	var own []*watched
	var knows []func(k int64)
	for path, exists := range there {
		inos := make([]atomic.Uint64, s.changes+1) // in each state that was reached; 0: none
		seen := new(atomic.Int64)
		w := s.watch(watched{what: "recreated", view: s.fsys.As(bob), path: path, of: []*history{h}, seen: seen})
		w.legal = func(s sight, k ...int64) bool {
			if !exists[k[0]%4] {
				return s == gone
			}
			if ino := inos[k[0]].Load(); ino != 0 {
				return s == sight{ino: ino}
			}
			newest := uint64(0) // numbers grow
			for i := k[0] - 1; i >= 0 && newest == 0; i-- {
				newest = inos[i].Load()
			}
			if exists[(k[0]+3)%4] {
				return s == sight{ino: newest}
			}
			return s.err == 0 && s.ino > newest
		}
		know := func(k int64) {
			if exists[k%4] {
				inos[k].Store(stat(t, s.fsys, path).Ino)
			}
		}
		know(0)
		knows, own = append(knows, know), append(own, w)
	}
	s.mover(h, own, func(k int64) error { return calls[k%4]() }, func(k int64) {
		for _, know := range knows {
			know(k)
		}
	})
}

// exchanged has two directories that change places by way of a third.
func (s *pivotStorm) exchanged(t *testing.T) {
	p, q := s.file(t, "/e/2/P/4/5/6/7/f"), s.file(t, "/e/2/Q/4/5/6/7/f")
	moves := [][2]string{{"/e/2/T", "/e/2/Q"}, {"/e/2/P", "/e/2/T"}, {"/e/2/Q", "/e/2/P"}}
	h := new(history)
	var own []*watched
	for name, inos := range map[string][6]uint64{"P": {p, 0, q, q, 0, p}, "Q": {q, q, 0, p, p, 0}, "T": {0, p, p, 0, q, q}} {
		own = append(own, s.watch(watched{what: "exchanged", view: s.fsys, path: "/e/2/" + name + "/4/5/6/7/f",
			of: []*history{h}, seen: new(atomic.Int64),
			legal: func(s sight, k ...int64) bool {
				if ino := inos[k[0]%6]; ino != 0 {
					return s == sight{ino: ino}
				}
				return s == gone
			}}))
	}
	s.mover(h, own, func(k int64) error { return s.fsys.Rename(moves[k%3][0], moves[k%3][1]) }, nil)
}

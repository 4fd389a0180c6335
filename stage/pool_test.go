package stage

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// names are chosen to be each other's beginnings, to differ in either half of a byte, and to sort around the slash.
var names = []string{"a", "b", "ab", "a-b", "a.b", "a0", "abcdefgh", "abcdefgi", "abcdefghabcdefgh", "q", "A",
	strings.Repeat("x", 255), strings.Repeat("x", 254), "\xff", "!"}

// grow makes a random tree and returns its directories.
func grow(r *rand.Rand, root *dir, n int) []*dir {
	all := []*dir{root}
	for range n {
		parent := all[r.IntN(len(all))]
		if r.IntN(2) == 0 {
			parent = all[len(all)-1] // deep
		}
		name := names[r.IntN(len(names))]
		if parent.kids[name] == nil && len(parent.path())+len(name) < 4000 {
			all = append(all, parent.mkdir(name))
		}
	}
	return all
}

// ask returns a random path below from, more or less one that is there.
func ask(r *rand.Rand, from *dir, all []*dir) string {
	var parts []string
	for d := from; len(d.kids) > 0 && r.IntN(8) > 0; {
		names := make([]string, 0, len(d.kids))
		for name := range d.kids {
			names = append(names, name)
		}
		slices.Sort(names)
		d = d.kids[names[r.IntN(len(names))]]
		parts = append(parts, d.name)
	}
	for range r.IntN(3) {
		part := names[r.IntN(len(names))]
		if r.IntN(4) == 0 {
			part = []string{"", ".", "..", "/", part + part}[r.IntN(5)]
		}
		parts = append(parts, part)
	}
	path := strings.Join(parts, "/")
	if r.IntN(8) == 0 {
		path += "/"
	}
	if r.IntN(16) == 0 && path != "" {
		path = path[:r.IntN(len(path))]
	}
	return path
}

// naive is what Find promises, done the plain way: the most components of path that some pivot has below from, as far as
// it may be skipped.
func naive(pool *Pool[*dir, guard], from *dir, path string) (dirs []*dir) {
	parts := strings.Split(path, "/")
	for _, p := range pool.pivots {
		at := slices.IndexFunc(p.components, func(c component[*dir]) bool { return c.dir == from })
		if at < 0 {
			continue
		}
		var way []*dir
		have := strings.Split(p.Path(), "/")
		for i, part := range parts {
			if n := at + i + 1; n > p.Depth() || have[n-1] != part || !p.Holds(n) {
				break
			}
			way = append(way, p.Dir(at+i+1))
		}
		if len(way) > len(dirs) {
			dirs = way
		}
	}
	return dirs
}

func TestFindAgainstNaive(t *testing.T) {
	r := seeded(t)
	found, partial, cut := 0, 0, 0
	for range 150 {
		for _, kind := range kinds {
			root := newRoot()
			all := grow(r, root, 1+r.IntN(200))
			s := slow(root, Config{Pool: kind, Pivots: 1 + r.IntN(64)})
			wanted := make([]*dir, r.IntN(100))
			for i := range wanted {
				wanted[i] = all[r.IntN(len(all))]
			}
			s.Promote(wanted)
			if err := s.Check(); err != nil {
				t.Fatalf("%v: %v", kind, err)
			}
			pool := s.Pool()
			if pool == nil {
				continue
			}
			for i := range 100 {
				if i%30 == 29 {
					victim := all[r.IntN(len(all))]
					change := []Change{Moves, Closes}[r.IntN(2)]
					s.Begin(victim, change)
					s.End(victim)
					cut++
				}
				from := root
				if r.IntN(2) == 0 {
					from = all[r.IntN(len(all))]
				}
				path := ask(r, from, all)
				want := naive(pool, from, path)
				base := pool.Base(from)
				p, at, to := pool.Find(base, path)
				if p == nil {
					if len(want) != 0 {
						t.Fatalf("%v: %q below %q: nothing found, %d components are there", kind, path, from.path(), len(want))
					}
					continue
				}
				if p.Dir(at) != from || to-at != len(want) || p.Dir(to) != want[len(want)-1] {
					t.Fatalf("%v: %q below %q: found %d components of %q, want %d", kind, path, from.path(), to-at, p.path, len(want))
				}
				if end := pool.End(base, p, to); end > len(path)+1 || path[:end-1] != strings.Join(strings.Split(path, "/")[:to-at], "/") {
					t.Fatalf("%v: %q below %q: %d components end at %d", kind, path, from.path(), to-at, end)
				}
				found++
				if to < p.Depth() {
					partial++
				}
			}
		}
	}
	if found == 0 || partial == 0 || cut == 0 {
		t.Errorf("%d found, %d of them inside of a pivot, %d cut: this test looks at nothing", found, partial, cut)
	}
}

// TestFigure4 is the example of the paper's figure 4: the search ends at the fourth of five pivots, and the walk starts
// one level above the best one.
func TestFigure4(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot()
		var wanted []*dir
		for _, path := range []string{"a1/b1/c1/d1", "a1/b1/c2/d2/e1", "a1/b1/c2/d2/e3/f3/g3", "a1/b2", "a1/b2/c3/d4"} {
			wanted = append(wanted, root.mkdir(path))
		}
		f3 := root.mkdir("a1/b1/c2/d2/e3/f3")
		s := slow(root, Config{Pool: kind})
		s.Promote(wanted)
		mustBe(t, s, "a1/b1/c1/d1", "a1/b1/c2/d2/e1", "a1/b1/c2/d2/e3/f3/g3", "a1/b2/c3/d4")
		var overlaps []int
		for _, p := range s.Pool().pivots {
			overlaps = append(overlaps, p.overlap)
		}
		if want := []int{0, 2, 4, 1}; !slices.Equal(overlaps, want) {
			t.Errorf("overlaps %v, want %v", overlaps, want)
		}
		p, from, to := s.Pool().Find(s.Pool().Root(), "a1/b1/c2/d2/e3/f3/foo")
		if p == nil || from != 0 || to != 6 || p.Dir(to) != f3 || p.Depth() != 7 {
			t.Errorf("%v: %v, %d to %d", kind, p, from, to)
		}
	}
}

// TestLargestPool fills a pool, in the shapes that lead to the deepest and the widest trees.
func TestLargestPool(t *testing.T) {
	for _, kind := range kinds {
		for _, shape := range []string{"%d", "a/b/c/d/e/f/g/%d", "%[1]d/a/b/c", "%[1]b"} {
			root := newRoot()
			s := slow(root, Config{Pool: kind, Pivots: MaxPivots + 1})
			var wanted []*dir
			for _, path := range numbered(shape, MaxPivots+10) {
				wanted = append(wanted, root.mkdir(path))
			}
			s.Promote(wanted)
			if n := s.Stats().Pivots; n != MaxPivots {
				t.Errorf("%v %s: %d pivots", kind, shape, n)
			}
			if err := s.Check(); err != nil {
				t.Errorf("%v %s: %v", kind, shape, err)
			}
		}
	}
}

// TestLongestPath: a path of one-byte names and one of long ones, each as long as a path may be.
func TestLongestPath(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot()
		s := slow(root, Config{Pool: kind})
		many := root.mkdir(strings.TrimSuffix(strings.Repeat("a/", 2046), "/"))
		long := root.mkdir(strings.TrimSuffix(strings.Repeat(strings.Repeat("b", 255)+"/", 15), "/"))
		s.Promote([]*dir{many, long, long.mkdir(strings.Repeat("c", 255) + "/d"), many.mkdir("a/a/a")})
		mustBe(t, s, many.path(), long.path())
		if n := skips(s, root, many.path()+"/f"); kind != Hash && n != 2046 || kind == Hash && n != hashedMost {
			t.Errorf("%v: %d components skipped", kind, n)
		}
	}
}

func TestGuards(t *testing.T) {
	root := newRoot()
	d := root.mkdir("a/b/c/d/e")
	home, work := &guard{"home"}, &guard{"work"}
	s := slow(root, Config{})
	for _, g := range []struct {
		path string
		g    *guard
	}{{"a", home}, {"a/b", home}, {"a/b/c", nil}, {"a/b/c/d", work}, {"a/b/c/d/e", home}} {
		root.mkdir(g.path).setGuard(s, g.g)
	}
	s.Promote([]*dir{d})
	mustBe(t, s, "a/b/c/d/e")
	p := s.Pool().pivots[0]
	for _, c := range []struct {
		from, to int
		want     []*guard
	}{
		{0, 0, nil}, {0, 1, nil}, {0, 2, []*guard{home}}, {0, 3, []*guard{home}}, {0, 4, []*guard{home}},
		{0, 5, []*guard{home, work}}, {2, 3, []*guard{home}}, {2, 5, []*guard{home, work}}, {3, 4, nil},
		{3, 5, []*guard{work}}, {4, 5, []*guard{work}},
	} {
		if got := p.Guards(c.from, c.to); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot()
		s := slow(root, Config{Pool: kind})
		s.Promote([]*dir{root.mkdir("a/b/c"), root.mkdir("a/d")})
		pool := s.Pool()
		base := pool.Root()
		for _, path := range []string{"a/b/c/d", "a/x", "x", ""} {
			if n := testing.AllocsPerRun(100, func() { pool.Find(base, path) }); n != 0 {
				t.Errorf("%v: a search for %q allocates %v times", kind, path, n)
			}
		}
	}
}

package stage

import (
	"strings"
	"testing"
)

// FuzzFind makes a pool of the paths in the first text, one a line, cuts some of it, and searches for the second below
// each of its directories, in each kind of pool, against the naive search.
func FuzzFind(f *testing.F) {
	f.Add("a/b/c\na/b-/c\na-b", "a/b/c/d", uint(0))
	f.Add("home/alice/x\nhome/alicia\nhome", "home/alic", uint(2))
	f.Add("a", "a//b/./..", uint(1))
	f.Add(strings.Repeat("x/", 40)+"y\n"+strings.Repeat("x/", 40)+"z", strings.Repeat("x/", 41), uint(9))
	f.Add("\x00\xff/\x80\n/", "\x00\xff/", uint(3))
	f.Fuzz(func(t *testing.T, paths, path string, cut uint) {
		if len(paths) > 4000 || len(path) > 4096 {
			return
		}
		for _, kind := range kinds {
			root := newRoot()
			all := []*dir{root}
			s := slow(root, Config{Pool: kind})
			var wanted []*dir
			for line := range strings.SplitSeq(paths, "\n") {
				d := root
				for name := range strings.SplitSeq(line, "/") {
					if name != "" && name != "." && name != ".." {
						d = d.mkdir(name)
						all = append(all, d)
					}
				}
				wanted = append(wanted, d)
			}
			s.Promote(wanted)
			victim := all[cut%uint(len(all))]
			s.Begin(victim, Change(cut%2)-1)
			s.End(victim)
			if err := s.Check(); err != nil {
				t.Fatalf("%v: %v", kind, err)
			}
			pool := s.Pool()
			if pool == nil {
				continue
			}
			for _, from := range all {
				base := pool.Base(from)
				want := naive(pool, from, path)
				p, at, to := pool.Find(base, path)
				switch {
				case p == nil && len(want) == 0:
				case p == nil || to-at != len(want) || p.Dir(to) != want[len(want)-1]:
					t.Fatalf("%v: %q below %q: %d components, want %d", kind, path, from.path(), to-at, len(want))
				}
			}
		}
	})
}

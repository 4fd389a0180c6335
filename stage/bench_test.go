package stage

import (
	"fmt"
	"testing"
)

// BenchmarkFind searches pools of 16 for a path of 8 components that has the last pivot in it, one that has nothing of
// any, and one that has half of one.
func BenchmarkFind(b *testing.B) {
	const rest = "/alice/projects/stagefs/internal/testdata/cases/golden"
	for _, kind := range kinds {
		root := newRoot()
		s := slow(root, Config{Pool: kind})
		var wanted []*dir
		for _, name := range numbered("home%02d", 16) {
			wanted = append(wanted, root.mkdir(name+rest))
		}
		s.Promote(wanted)
		for what, path := range map[string]string{
			"whole": "home15" + rest + "/file", "half": "home15/alice/projects/other/and/so/on/file", "none": "usr/lib/x86_64/file",
		} {
			b.Run(fmt.Sprintf("%v/%s", kind, what), func(b *testing.B) {
				pool := s.Pool()
				for b.Loop() {
					pool.Find(pool.Root(), path)
				}
			})
		}
	}
}

// BenchmarkPromote makes pools of directories of 8 components in turn.
func BenchmarkPromote(b *testing.B) {
	for _, n := range []int{16, 256, MaxPivots} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := newRoot()
			s := slow(root, Config{Pivots: n})
			var wanted [2][]*dir
			for i := range n {
				for j := range wanted {
					wanted[j] = append(wanted[j], root.mkdir(fmt.Sprintf("home/alice/projects/stagefs/%d/%d/%d/%d", i%4, i%16, i, j)))
				}
			}
			for i := 0; b.Loop(); i++ {
				s.Promote(wanted[i%2])
			}
		})
	}
}

// BenchmarkChange changes a directory in no pool, and one that 16 pivots lead through after each of its changes.
func BenchmarkChange(b *testing.B) {
	root := newRoot()
	s := slow(root, Config{})
	var wanted []*dir
	for _, path := range numbered("a/b/%d/c", 16) {
		wanted = append(wanted, root.mkdir(path))
	}
	other := root.mkdir("other")
	b.Run("other", func(b *testing.B) {
		for b.Loop() {
			s.Begin(other, Closes)
			s.End(other)
		}
	})
	s.Promote(wanted)
	through := root.mkdir("a/b")
	b.Run("marked", func(b *testing.B) {
		for b.Loop() {
			s.Begin(through, Closes)
			s.End(through)
		}
	})
}

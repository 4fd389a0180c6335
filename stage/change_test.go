package stage

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestChangeCutsExactly: a change takes from each pivot what it must, and nothing from the others.
func TestChangeCutsExactly(t *testing.T) {
	paths := []string{"a/b/c/d", "a/b/e", "a/f", "g/h"}
	for _, c := range []struct {
		path   string
		change Change
		want   []string
	}{
		{"a/b/c/d", Moves, []string{"a/b/c", "a/b/e", "a/f", "g/h"}},
		{"a/b/c/d", Closes, paths},
		{"a/b", Moves, []string{"a", "a/f", "g/h"}},
		{"a/b", Closes, []string{"a/b", "a/f", "g/h"}},
		{"a", Moves, []string{"g/h"}},
		{"g", Closes, []string{"a/b/c/d", "a/b/e", "a/f", "g"}},
		{"", Closes, nil},
		{"x", Moves, paths},
	} {
		for _, kind := range kinds {
			root := newRoot()
			s := slow(root, Config{Pool: kind})
			var wanted []*dir
			for _, path := range paths {
				wanted = append(wanted, root.mkdir(path))
			}
			s.Promote(wanted)
			victim := root
			if c.path != "" {
				victim = root.mkdir(c.path)
			}
			s.Begin(victim, c.change)
			if got := s.Pivots(); !slices.Equal(got, c.want) {
				t.Errorf("%v: change %d of %q leaves %q, want %q", kind, c.change, c.path, got, c.want)
			}
			s.End(victim)
			if (s.Pool() == nil) != (c.want == nil) {
				t.Errorf("%v: change of %q: the pool is %v", kind, c.path, s.Pool())
			}
		}
	}
}

// TestChangeBesideBuild stops the build at each of its steps, for each of those the change at each of its own, in both
// orders, and looks after each step whether the pool tells what the tree has. A change has three steps: announced, made,
// over.
func TestChangeBesideBuild(t *testing.T) {
	for _, name := range []string{"move", "remove", "close"} {
		for depth := 1; depth <= 3; depth++ {
			for stop := range 12 {
				for ahead := range 4 {
					for _, before := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/%d/%d/%d/%v", name, depth, stop, ahead, before), func(t *testing.T) {
							interleave(t, name, depth, stop, ahead, before)
						})
					}
				}
			}
		}
	}
}

// interleave runs a build up to its step number stop, then ahead steps of the change, then the build to its end, then
// the rest of the change. before tells that the victim is in the working pool already.
func interleave(t *testing.T, name string, depth, stop, ahead int, before bool) {
	root := newRoot()
	target := root.mkdir("a/b/c")
	s := slow(root, Config{Pivots: 4})
	victim := root.mkdir(strings.Join([]string{"a", "b", "c"}[:depth], "/"))
	if before {
		s.Promote([]*dir{target})
	}
	open := &guard{"nobody"}
	steps := []func(){
		func() {
			if name == "remove" {
				victim.gone = true
			}
			change := Moves
			if name == "close" {
				change = Closes
			}
			s.Begin(victim, change)
		},
		func() {
			switch name {
			case "close":
				victim.closed = open
			case "move":
				delete(victim.parent.kids, victim.name)
				victim.parent, victim.name = root, "z"
				root.kids["z"] = victim
			case "remove":
				delete(victim.parent.kids, victim.name)
			}
		},
		func() { s.End(victim) },
	}
	mustAgree := func(when string) {
		t.Helper()
		if pool := s.Pool(); pool != nil {
			for _, p := range pool.pivots {
				agrees(t, when, p, victim)
			}
		}
	}
	at, done := 0, 0
	s.manager.pause = func(buildStep) {
		if at == stop {
			for ; done < ahead && done < len(steps); done++ {
				steps[done]()
				mustAgree(fmt.Sprintf("after step %d of the change", done))
			}
		}
		at++
	}
	s.Promote([]*dir{target})
	s.manager.pause = nil
	mustAgree("after the build")
	for ; done < len(steps); done++ {
		steps[done]()
		mustAgree(fmt.Sprintf("after step %d of the change", done))
	}
	if mark := victim.node.mark.Load(); mark >= changing {
		t.Errorf("mark %d when all is over", mark)
	}
	if name == "remove" {
		return
	}
	s.Promote([]*dir{target})
	mustBe(t, s, target.path())
}

// agrees fails unless each component that may be skipped is where the pivot says, open to whom it says, and nobody is
// about to change that.
func agrees(t *testing.T, when string, p *Pivot[*dir, guard], victim *dir) {
	t.Helper()
	limit := int(p.limit.Load())
	for n := 1; n <= limit; n++ {
		d := p.Dir(n)
		if d.gone || d.parent != p.Dir(n-1) || d.name != p.path[p.end(n-1):p.end(n)-1] {
			t.Errorf("%s: component %d of %q may be skipped, but is at %q", when, n, p.path, d.path())
		}
		if want, got := p.Dir(n-1).closed, p.Guards(n-1, n); want == nil && got != nil || want != nil && !slices.Equal(got, []*guard{want}) {
			t.Errorf("%s: component %d of %q may be skipped past other guards than there are", when, n-1, p.path)
		}
		if d == victim && d.node.mark.Load() >= changing && victim.closed == nil && p.Depth() > n && limit > n {
			t.Errorf("%s: %q is about to change, but may be passed", when, d.path())
		}
	}
}

// TestStormOfChanges has changes, builds and searches at once, for the race detector; each search must find what some
// state between its beginning and its end has.
func TestStormOfChanges(t *testing.T) {
	root := newRoot()
	a, b := root.mkdir("a"), root.mkdir("b")
	moving := root.mkdir("a/m")
	leaf := root.mkdir("a/m/c/d")
	s := slow(root, Config{Pivots: 4})
	// where is twice the number of moves, odd while one is under way. The tests' directories have no locks, so only the
	// goroutine that builds moves them, between its builds.
	var where, over atomic.Int64
	done := make(chan bool)
	searcher := func() {
		defer func() { done <- true }()
		for over.Load() == 0 {
			before := where.Load()
			pool := s.Pool()
			if pool == nil {
				continue
			}
			for i, path := range []string{"a/m/c/d/f", "b/m/c/d/f"} {
				p, _, to := pool.Find(pool.Root(), path)
				if p == nil || to < 2 {
					continue
				}
				if after := where.Load(); before == after && before%2 == 0 && before/2%2 != int64(i) {
					t.Errorf("%q was found after it had moved away", path)
				}
			}
		}
	}
	go searcher()
	go searcher()
	for i := range 5_000 {
		parent := a
		if i%2 == 0 {
			parent = b
		}
		where.Add(1)
		moving.move(s, parent, "m")
		where.Add(1)
		s.Promote([]*dir{leaf})
	}
	over.Store(1)
	<-done
	<-done
	mustBe(t, s, leaf.path())
}

// TestMoveWithinBuild: a build that reads one directory before and another after they changed their places has two
// pivots with one path, and one whose path leads to the other's end.
func TestMoveWithinBuild(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot()
		s := slow(root, Config{Pool: kind})
		first, second, below := root.mkdir("a/x"), root.mkdir("b/x"), root.mkdir("c/y")
		raised := 0
		s.manager.pause = func(step buildStep) {
			if step != beforeRaise {
				return
			}
			if raised++; raised == 4 { // the first pivot is read: x, a, root
				first.move(s, root, "z")
				second.move(s, root.kids["a"], "x")
				below.move(s, second, "y")
			}
		}
		s.Promote([]*dir{first, second, below})
		s.manager.pause = nil
		mustBe(t, s, "a/x/y")
		s.Promote([]*dir{first, below})
		mustBe(t, s, "a/x/y", "z")
	}
}

// TestDirectoryTwice: a build that meets a directory at two places, or two at one, begins again.
func TestDirectoryTwice(t *testing.T) {
	for name, move := range map[string]func(s *testStage, root *dir){
		"two places": func(s *testStage, root *dir) { root.mkdir("a/x").move(s, root, "z") },
		"one place": func(s *testStage, root *dir) {
			root.mkdir("a/x").move(s, root, "z")
			root.mkdir("b").move(s, root.mkdir("a"), "x")
		},
	} {
		root := newRoot()
		s := slow(root, Config{})
		one, two, b := root.mkdir("a/x/1"), root.mkdir("a/x/2"), root.mkdir("b/3")
		raised := 0
		s.manager.pause = func(step buildStep) {
			if step != beforeRaise {
				return
			}
			if raised++; raised == 5 { // the first pivot is read
				move(s, root)
			}
		}
		s.Promote([]*dir{one, two, b})
		s.manager.pause = nil
		mustBe(t, s, sorted(one.path(), two.path(), b.path())...)
		if n := s.Stats().Discarded; n != 1 {
			t.Errorf("%s: %d builds discarded", name, n)
		}
	}
}

// TestBusyDirectoryHoldsUpNobody: a directory that changes during each build costs its own pivot only.
func TestBusyDirectoryHoldsUpNobody(t *testing.T) {
	root := newRoot()
	busy, other := root.mkdir("home/alice/x"), root.mkdir("usr/lib")
	s := slow(root, Config{})
	s.Promote([]*dir{busy})
	s.manager.pause = func(step buildStep) {
		if step == beforePublish {
			root.mkdir("home/alice").setGuard(s, &guard{"alice"})
		}
	}
	s.Promote([]*dir{busy, other})
	mustBe(t, s, "home/alice", "usr/lib")
	if st := s.Stats(); st.Discarded != 0 || st.Invalidations != 1 {
		t.Errorf("%+v", st)
	}
}

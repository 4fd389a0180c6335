package stage

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// dir is a directory of the tests' own tree. Its place and guard change only between begin and end.
type dir struct {
	id     int
	parent *dir
	name   string
	kids   map[string]*dir
	closed *guard
	gone   bool
	node   Node
}

// guard is who may pass: only the named.
type guard struct{ who string }

func (d *dir) StageNode() *Node                 { return &d.node }
func (d *dir) StagePlace() (*dir, string, bool) { return d.parent, d.name, !d.gone }
func (d *dir) StageGuard() *guard               { return d.closed }

type testStage = Stage[*dir, guard]

func newRoot() *dir {
	root := &dir{kids: map[string]*dir{}}
	root.parent = root
	return root
}

var dirs int

// mkdir makes path, and all above it.
func (d *dir) mkdir(path string) *dir {
	for name := range strings.SplitSeq(path, "/") {
		kid := d.kids[name]
		if kid == nil {
			dirs++
			kid = &dir{id: dirs, parent: d, name: name, kids: map[string]*dir{}}
			d.kids[name] = kid
		}
		d = kid
	}
	return d
}

func (d *dir) path() string {
	if d.parent == d {
		return ""
	}
	return strings.TrimPrefix(d.parent.path()+"/"+d.name, "/")
}

// move renames d as memfs does.
func (d *dir) move(s *testStage, parent *dir, name string) {
	s.Begin(d, Moves)
	delete(d.parent.kids, d.name)
	d.parent, d.name = parent, name
	parent.kids[name] = d
	s.End(d)
}

func (d *dir) remove(s *testStage) {
	d.gone = true
	s.Begin(d, Moves)
	delete(d.parent.kids, d.name)
	s.End(d)
}

func (d *dir) setGuard(s *testStage, g *guard) {
	s.Begin(d, Closes)
	d.closed = g
	s.End(d)
}

// slow makes a stage whose period never ends by itself.
func slow(root *dir, c Config) *testStage {
	c.Period = time.Hour
	return New[*dir, guard](root, c)
}

// seeded returns a random source whose seed is printed if the test fails; STAGEFS_SEED sets it.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("STAGEFS_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("STAGEFS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

var kinds = []Kind{Tree, List, Hash}

// mustBe fails unless the pool has these pivots.
func mustBe(t *testing.T, s *testStage, want ...string) {
	t.Helper()
	if got := s.Pivots(); !slices.Equal(got, want) {
		t.Fatalf("pivots %q, want %q", got, want)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
}

// skips returns how many components of path the stage skips from base on, 0 without a pool.
func skips(s *testStage, from *dir, path string) int {
	pool := s.Pool()
	if pool == nil {
		return 0
	}
	p, at, to := pool.Find(pool.Base(from), path)
	if p == nil {
		return 0
	}
	return to - at
}

func sorted(paths ...string) []string {
	slices.Sort(paths)
	return paths
}

func numbered(format string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return all
}

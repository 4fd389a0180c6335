package bench

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stagefs/memfs"
)

// TestStagePivots: pools are as large as they shall be, only the last pivot is
// on the path, and the others leave it where the shape says.
func TestStagePivots(t *testing.T) {
	path := stageTargets(0)[0]
	for _, shape := range []string{shapeRoot, shapeSiblings, shapeBinary} {
		for walk := range len(spine) + 1 {
			for _, n := range stagePools {
				pool := stagePivots(shape, walk, n)
				if err := checkPivots(pool, path, shape, walk, n); err != nil {
					t.Errorf("%s: %v", statParam("stat", shape, walk, n), err)
				}
			}
		}
	}
}

func checkPivots(pool []string, path, shape string, walk, n int) error {
	depth := len(spine) - walk
	if walk == len(spine) {
		depth = len(spine)
	}
	useful := pool[len(pool)-1]
	branches := make(map[int]bool) // the components at which pivots leave the useful one
	seen := make(map[string]bool)
	for i, p := range pool {
		if got := strings.Count(p, "/"); got != depth {
			return fmt.Errorf("%s has %d components, not %d", p, got, depth)
		}
		if seen[p] {
			return fmt.Errorf("%s is there twice", p)
		}
		seen[p] = true
		onPath := path == p || strings.HasPrefix(path, p+"/")
		if want := i == len(pool)-1 && walk < len(spine); onPath != want {
			return fmt.Errorf("pivot %d of %d, %s, is on the path: %v", i, n, p, onPath)
		}
		if walk == len(spine) && commonComponents(p, path) != 0 {
			return fmt.Errorf("%s begins as the path does", p)
		}
		if i < len(pool)-1 {
			branches[commonComponents(p, useful)] = true
		}
	}
	want := map[string]int{shapeRoot: 1, shapeSiblings: 1, shapeBinary: min(depth, n-1)}[shape]
	at := map[string]int{shapeRoot: 0, shapeSiblings: depth - 1, shapeBinary: 0}[shape]
	if len(pool) != n || n > 1 && (len(branches) != want || !branches[at]) {
		return fmt.Errorf("%d pivots that branch at %v", len(pool), branches)
	}
	return nil
}

func commonComponents(a, b string) int {
	n := 0
	for x, y := strings.Split(a[1:], "/"), strings.Split(b[1:], "/"); n < min(len(x), len(y)) && x[n] == y[n]; n++ {
	}
	return n
}

func TestStageTargets(t *testing.T) {
	for walk := range len(spine) + 1 {
		paths := stageTargets(walk)
		if want := map[bool]int{true: 1, false: leaves}[walk == 0]; len(paths) != want {
			t.Errorf("walk %d: %d paths, want %d", walk, len(paths), want)
		}
		for _, p := range paths {
			if strings.Count(p, "/") != len(spine) {
				t.Errorf("walk %d: %s has not %d components", walk, p, len(spine))
			}
			if walk > 0 && commonComponents(p, paths[0]) < len(spine)-1 {
				t.Errorf("walk %d: %s and %s are no siblings", walk, p, paths[0])
			}
		}
	}
}

func TestLevelTree(t *testing.T) {
	tree := newLevelTree(10)
	if n := len(tree.all()); n != 21_111 {
		t.Errorf("%d nodes, want 21,111", n)
	}
	for level := 1; level <= treeLevels; level++ {
		dir := tree.changed(level)
		below := len(within(tree.levels[treeLevels-1], dir))
		pivots := tree.pivots(dir)
		inside := 0
		for _, p := range pivots {
			if isWithin(p, dir) {
				inside++
			}
		}
		if len(pivots) != treePivots || inside != min(below, treePivots) {
			t.Errorf("level %d: %d of %d pivots below %s, which has %d", level, inside, len(pivots), dir, below)
		}
	}
	if isWithin("/tree/d1r", "/tree/d1") || !isWithin("/tree/d1/d2", "/tree/d1") || !isWithin("/a", "/a") {
		t.Error("isWithin does not compare components")
	}
}

// TestExpectSkips: the check finds a pool that skips more or less than the row
// would say, and a path that leads elsewhere.
func TestExpectSkips(t *testing.T) {
	for _, impl := range stageImpls {
		target, err := openStill(impl, 1)
		if err != nil {
			t.Fatal(err)
		}
		paths := stageTargets(3)
		if err := each(append(slices.Clone(paths), "/elsewhere"), func(p string) error { return target.fs.MkdirAll(p, 0o777) }); err != nil {
			t.Fatal(err)
		}
		pivot := stagePivots(shapeRoot, 3, 1)[0]
		if err := target.expectSkips(paths, 5, pivot); err != nil {
			t.Errorf("%s: %v", impl, err)
		}
		err4, err6 := target.expectSkips(paths, 4, pivot), target.expectSkips(paths, 6, pivot)
		none := target.expectSkips(paths, 5, "/elsewhere")
		if hasPool(impl) && (err4 == nil || err6 == nil || none == nil) {
			t.Errorf("%s: skips 4, 6 and 5 with another pivot: %v, %v, %v; want errors", impl, err4, err6, none)
		}
		if err := target.setPool("/elsewhere", "/elsewhere"); hasPool(impl) && err == nil {
			t.Errorf("%s: a pool of one pivot passes for one of two", impl)
		}
	}
}

// TestCheckChange: the check finds a change that is none, one that cuts nothing,
// and a name that does not go away.
func TestCheckChange(t *testing.T) {
	tree := newLevelTree(3)
	nothing := func(*memTarget, string) error { return nil }
	for _, c := range []struct {
		name string
		ch   dirChange
		want string
	}{
		{"rename", dirChanges[0], ""},
		{"chmod", dirChanges[1], ""},
		{"no chmod", dirChange{"chmod", nothing, nothing, false}, "outlives the change"},
		{"no rename", dirChange{"rename", nothing, nothing, true}, "outlives the change"},
		{"a copy", dirChange{"rename", func(t *memTarget, dir string) error {
			if err := dirChanges[0].do(t, dir); err != nil {
				return err
			}
			file := within(tree.files, dir)[0]
			return t.fs.MkdirAll(file, 0o777)
		}, nothing, true}, "is still there"},
	} {
		target, err := openStill("stage", 1)
		if err == nil {
			err = tree.fill(target)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = checkChange(target, tree, c.ch, 2)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestStageUser: the file systems of the stage's experiments act as somebody
// whom permissions stop.
func TestStageUser(t *testing.T) {
	for _, impl := range stageImpls {
		target, err := openStage(impl)
		if err != nil {
			t.Fatal(err)
		}
		var st memfs.Stat
		err = errors.Join(target.mkdir("/a"), target.mkdir("/a/b"), target.fs.StatInto("/a/b", &st),
			target.fs.Chmod("/a", 0o600))
		if err != nil {
			t.Fatal(err)
		}
		if err := target.fs.StatInto("/a/b", &st); err == nil {
			t.Errorf("%s: a directory without search permission is no obstacle", impl)
		}
	}
	if _, err := openStage("memfs"); err == nil {
		t.Error("memfs is a way to look up a path")
	}
}

// TestStageTable: stage is the base of its experiments, in tables and beside a
// baseline.
func TestStageTable(t *testing.T) {
	p := statParam("stat", shapeRoot, 0, 16)
	r := newReport(Machine{})
	rows := append(samples("stage-stat", "original", p, metricTime, unitTime, 150, 150, 150, 150),
		samples("stage-stat", "stage", p, metricTime, unitTime, 50, 50, 50, 50)...)
	for _, row := range rows {
		r.add(row)
	}
	r.add(Row{Bench: "stage-stat", Impl: "full-path", Param: p, Metric: metricTime, Unit: unitTime, Error: "broken"})
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"vs stage", "3.00x", "1.00x"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if f := r.Failures(); len(f) != 1 || f[0].Impl != "full-path" {
		t.Errorf("failures %+v, want that of full-path", f)
	}
	cmp, err := CompareRows(rows, rows, 0.05)
	if err != nil || len(cmp.Changes) != 1 || cmp.Changes[0].New != 50 {
		t.Errorf("CompareRows: %+v, %v; want the figure of stage", cmp, err)
	}
}

func TestTimePieces(t *testing.T) {
	m := &meter{}
	var calls []int
	if err := m.timePieces("p", 90, 7, func(ops int) error { calls = append(calls, ops); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := append([]int{7}, slices.Repeat([]int{10}, pieces)...); !slices.Equal(calls, want) {
		t.Errorf("pieces of %d, want %d", calls, want)
	}
	if len(m.values) != 1 || m.values[0].param != "p" || m.values[0].unit != unitTime {
		t.Errorf("reported %+v", m.values)
	}
	broken := errors.New("broken")
	if err := m.timePieces("p", 90, 7, func(int) error { return broken }); err != broken {
		t.Errorf("%v, want %v", err, broken)
	}
	if a, b := median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3}); a != 2 || b != 2.5 {
		t.Errorf("medians %v and %v, want 2 and 2.5", a, b)
	}
}

// TestStatMatrix: a run that is not scaled has every combination that is
// documented.
func TestStatMatrix(t *testing.T) {
	c := testContext(t.Context(), &Config{Scale: 1})
	if got, want := c.statPools(), []int{1, 2, 4, 8, 16, 256, 1024}; !slices.Equal(got, want) {
		t.Errorf("pools %d, want %d", got, want)
	}
	for shape, want := range map[string][]int{
		shapeRoot:     {0, 1, 2, 3, 4, 5, 6, 7, 8},
		shapeSiblings: {0, 1, 2, 3, 4, 5, 6, 8},
		shapeBinary:   {0, 1, 2, 3, 4, 5, 6, 8},
	} {
		if got := c.statWalks(shape); !slices.Equal(got, want) {
			t.Errorf("%s: walks %d, want %d", shape, got, want)
		}
	}
}

// stageRows returns the param and impl of every row that the stage's experiments
// have in a scaled run, a figure or the reason why there is none. tmpfs is left
// out.
func stageRows(bench string) map[string]bool {
	want := make(map[string]bool)
	add := func(impls []string, params ...string) {
		for _, p := range params {
			for _, impl := range impls {
				want[p+" "+impl] = true
			}
		}
	}
	switch bench {
	case "stage-stat":
		for _, shape := range []string{shapeRoot, shapeSiblings, shapeBinary} {
			for _, walk := range []int{0, 1, 7, 8} {
				if walk == 7 && shape != shapeRoot {
					continue
				}
				for _, pool := range []int{1, 2, 4, 8, 16, 256} {
					add(stageImpls, statParam("stat", shape, walk, pool))
				}
				add(stageImpls, statParam("open", shape, walk, 16))
			}
		}
	case "stage-modify":
		for _, ch := range dirChanges {
			for level := 1; level <= 5; level++ {
				for _, then := range []string{"", "lookup", "pivots"} {
					add([]string{"stage", "stage-list", "original", "full-path"}, modifyParam(ch, level, then))
				}
			}
		}
	case "stage-fig1":
		for _, op := range []string{"stat", "open", "read", "write"} {
			for _, depth := range []int{1, 2, 4, 8, 16} {
				add([]string{"stage", "original", "afero"}, param("op", op, "depth", depth))
			}
		}
	case "stage-space":
		add([]string{"stage", "original", "full-path"}, "part=dentry")
		add(stageImpls, "part=pool,pool=16", "part=pool,pool=256", "part=pool,pool=1024")
		add([]string{"full-path"}, "part=credential")
	}
	return want
}

// checkStageRows fails unless rows are exactly those that are documented.
func checkStageRows(t *testing.T, bench string, rows []Row) {
	want, got := stageRows(bench), make(map[string]bool)
	if len(want) == 0 {
		return
	}
	for _, r := range rows {
		key := r.Param + " " + r.Impl
		if !want[key] && r.Impl != "tmpfs" {
			t.Errorf("a row that is not documented: %s", key)
		}
		got[key] = true
	}
	for key := range want {
		if !got[key] {
			t.Errorf("no row %s", key)
		}
	}
}

package bench

import "strings"

// leaves is the number of files that the lookups of one directory go round.
const leaves = 64

// lookupOps is how many lookups a round makes.
func (c *Context) lookupOps(impl string) int {
	switch impl {
	case "billy":
		return c.scaled(10_000, leaves)
	case "tmpfs":
		return c.scaled(30_000, leaves)
	}
	return c.scaled(100_000, leaves)
}

func runStatDepth(c *Context) error {
	depths := []int{1, 4, 8, 16}
	targets := c.fixtures("depth=16", everywhere, func(t target) error { return fillDepths(t, depths) })
	defer c.closeAll(targets)
	var subjects []subject
	for _, depth := range depths {
		for _, goroutines := range []int{1, 2} {
			p := param("depth", depth)
			if goroutines > 1 {
				if depth != 8 {
					continue
				}
				p = param("depth", depth, "goroutines", goroutines)
			}
			for _, t := range targets {
				paths := below(chain(t.root(), depth), 'f', leaves)
				ops := c.lookupOps(t.impl())
				subjects = append(subjects,
					subject{t.impl(), p + ",op=lookup", walkRound(t, paths, ops, goroutines, newLookup)},
					subject{t.impl(), p + ",op=stat", walkRound(t, paths, ops, goroutines, newStat)})
			}
		}
	}
	c.compare(subjects...)
	return nil
}

// fillDepths makes a chain of directories and files in those whose paths have
// one of the given numbers of components, the file's name included.
func fillDepths(t target, depths []int) error {
	at := 1
	for _, depth := range depths {
		for ; at < depth; at++ {
			if err := t.mkdir(chain(t.root(), at+1)); err != nil {
				return err
			}
		}
		if err := each(below(chain(t.root(), depth), 'f', leaves), t.create); err != nil {
			return err
		}
	}
	return nil
}

// chain returns the directory of the files whose paths have depth components.
func chain(root string, depth int) string {
	return root + strings.Repeat("/d0000000", depth-1)
}

// newLookup and newStat return the call to measure, for one goroutine.
func newLookup(t target) func(string) error { return t.newLookup() }

func newStat(t target) func(string) error {
	return func(name string) error {
		_, err := t.stat(name)
		return err
	}
}

// walkRound returns a round that goes round paths, ops calls on each of the
// goroutines. The time of an operation is the whole time by all operations.
func walkRound(t target, paths []string, ops, goroutines int, newCall func(target) func(string) error) func(*meter) error {
	loop := func(worker int) error {
		call := newCall(t)
		at := worker * len(paths) / goroutines
		for range ops {
			if err := call(paths[at]); err != nil {
				return err
			}
			if at++; at == len(paths) {
				at = 0
			}
		}
		return nil
	}
	if goroutines == 1 {
		return func(m *meter) error { return m.timeAllocs(ops, func() error { return loop(0) }) }
	}
	return func(m *meter) error {
		elapsed, err := fanOut(goroutines, loop)
		if err == nil {
			m.reportTime(elapsed, ops*goroutines)
		}
		return err
	}
}

func runStatRandom(c *Context) error {
	dirs := c.scaled(300, 2)
	files := c.scaled(300_000, 20) / dirs // in each
	n := dirs * files
	p := param("files", n)
	order := c.shuffled(n)
	targets := c.fixtures(p, everywhere, func(t target) error { return fillTree(t, dirs, files) })
	defer c.closeAll(targets)
	var subjects []subject
	inMemory := pick(treePaths("", dirs, files), order)
	for _, t := range targets {
		paths := inMemory
		if t.root() != "" {
			paths = pick(treePaths(t.root(), dirs, files), order)
		}
		ops := min(c.lookupOps(t.impl()), n)
		subjects = append(subjects,
			subject{t.impl(), p + ",op=lookup", randomRound(t, paths, ops, newLookup)},
			subject{t.impl(), p + ",op=stat", randomRound(t, paths, ops, newStat)})
	}
	c.compare(subjects...)
	return nil
}

// treePaths returns the paths of the files that fillTree makes.
func treePaths(root string, dirs, files int) []string {
	paths := make([]string, 0, dirs*files)
	for _, dir := range below(root+"/d", 'd', dirs) {
		paths = append(paths, below(dir, 'f', files)...)
	}
	return paths
}

// randomRound returns a round that goes on in paths where the one before
// stopped, so that no round finds its names as another has just left them.
func randomRound(t target, paths []string, ops int, newCall func(target) func(string) error) func(*meter) error {
	at := 0
	return func(m *meter) error {
		call := newCall(t)
		return m.timeAllocs(ops, func() error {
			for range ops {
				if err := call(paths[at]); err != nil {
					return err
				}
				if at++; at == len(paths) {
					at = 0
				}
			}
			return nil
		})
	}
}

package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// fig1Depths are the numbers of components of the paths of stage-fig1.
var fig1Depths = []int{1, 2, 4, 8, 16}

// openFile is what an open file of any rival can do.
type openFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// openReadWrite opens an existing file of t for reading and writing.
func openReadWrite(t target, name string) (openFile, error) {
	switch t := t.(type) {
	case *memTarget:
		return t.fs.OpenFile(name, os.O_RDWR, 0)
	case *aferoTarget:
		return t.fs.OpenFile(name, os.O_RDWR, 0)
	case *osTarget:
		return os.OpenFile(name, os.O_RDWR, 0)
	}
	return nil, skipped("cannot be opened for reading and writing here")
}

// runStageFig1 is figure 1 of the paper: calls that look up a path beside calls
// that do not.
func runStageFig1(c *Context) error {
	p := param("op", "stat", "depth", fig1Depths[0])
	targets := c.fig1Targets(p)
	defer c.closeAll(targets)
	buf := []byte{1}
	for _, depth := range fig1Depths {
		var subjects []subject
		add := func(op string, measure func(m *meter, t target, paths []string, ops int) error) {
			p := param("op", op, "depth", depth)
			for _, t := range targets {
				paths := below(chain(t.root(), depth), 'f', leaves)
				ops := c.lookupOps(t.impl()) / 2
				subjects = append(subjects, subject{t.impl(), p, func(m *meter) error { return measure(m, t, paths, ops) }})
			}
		}
		add("stat", func(m *meter, t target, paths []string, ops int) error {
			loop := goRound(t.newLookup(), paths)
			return m.time(ops, func() error { return loop(ops) })
		})
		add("open", func(m *meter, t target, paths []string, ops int) error {
			loop := goRound(func(name string) error {
				f, err := openReadWrite(t, name)
				if err != nil {
					return err
				}
				return f.Close()
			}, paths)
			return m.time(ops, func() error { return loop(ops) })
		})
		add("read", func(m *meter, t target, paths []string, ops int) error {
			return handleRound(m, t, paths[0], ops, func(f openFile) (int, error) { return f.ReadAt(buf, 0) })
		})
		add("write", func(m *meter, t target, paths []string, ops int) error {
			return handleRound(m, t, paths[0], ops, func(f openFile) (int, error) { return f.WriteAt(buf, 0) })
		})
		c.compare(subjects...)
	}
	return nil
}

// handleRound times calls on one open file, each of which moves one byte.
func handleRound(m *meter, t target, name string, ops int, call func(openFile) (int, error)) error {
	f, err := openReadWrite(t, name)
	if err != nil {
		return err
	}
	err = m.time(ops, func() error {
		for range ops {
			if n, err := call(f); err != nil {
				return err
			} else if n != 1 {
				return fmt.Errorf("self-check: %d bytes instead of one", n)
			}
		}
		return nil
	})
	return errors.Join(err, f.Close())
}

// fig1Targets opens the rivals, with files of one byte at each depth. The
// stage's pool holds the deepest directory, and through it all others.
func (c *Context) fig1Targets(param string) []target {
	fill := func(t target) error {
		if err := fillDepths(t, fig1Depths); err != nil {
			return err
		}
		for _, depth := range fig1Depths {
			if err := t.writeFile(chain(t.root(), depth)+"/"+fileName(0), []byte{1}); err != nil {
				return err
			}
		}
		return nil
	}
	var targets []target
	for _, t := range c.stageFixtures([]string{"stage", "original"}, param,
		func(t *memTarget) error {
			if err := fill(t); err != nil {
				return err
			}
			return t.setPool(chain("", slices.Max(fig1Depths)))
		}, checkFig1) {
		targets = append(targets, t)
	}
	return append(targets, c.fixtures(param, []string{"tmpfs", "afero"}, fill)...)
}

// checkFig1 fails unless all components but the last are skipped. Paths of one
// component do not ask the stage.
func checkFig1(t *memTarget) error {
	deepest := chain("", slices.Max(fig1Depths))
	for _, depth := range fig1Depths {
		if depth == 1 {
			continue
		}
		paths := below(chain("", depth), 'f', leaves)
		if err := t.expectSkips(paths, depth-1, deepest); err != nil {
			return fmt.Errorf("%d components: %w", depth, err)
		}
	}
	return nil
}

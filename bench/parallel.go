package bench

import "strconv"

func runParallel(c *Context) error {
	workers := []int{1, 2, 4, 8}
	const most = 8
	// Four components, the file's name included, and standing files beside
	// those that are made and removed.
	targets := c.fixtures("goroutines=1", everywhere, func(t target) error {
		for depth := 2; depth <= 4; depth++ {
			if err := t.mkdir(chain(t.root(), depth)); err != nil {
				return err
			}
		}
		return each(below(chain(t.root(), 4), 'f', most*leaves), t.create)
	})
	defer c.closeAll(targets)
	for _, op := range parallelOps {
		var subjects []subject
		for _, n := range workers {
			p := param("op", op.name, "goroutines", n)
			c.report.declare(c.bench, p)
			for _, t := range targets {
				if op.changes && n > 1 && t.impl() == "billy" {
					c.fail("billy", p, skipped("not safe for concurrent changes"))
					continue
				}
				ops := c.lookupOps(t.impl()) / 2
				if op.changes {
					ops /= 2
				}
				dir := chain(t.root(), 4)
				work := make([]func(int) error, n)
				for w := range work {
					work[w] = op.prepare(t, dir, w)
				}
				subjects = append(subjects, subject{t.impl(), p, func(m *meter) error {
					elapsed, err := fanOut(n, func(w int) error { return work[w](ops) })
					if err == nil {
						m.report(metricThroughput, float64(ops*n)/elapsed.Seconds(), unitThroughput)
					}
					return err
				}})
			}
		}
		c.compare(subjects...)
	}
	return nil
}

// parallelOps are what the goroutines do. prepare returns worker w's loop.
var parallelOps = []struct {
	name    string
	changes bool
	prepare func(t target, dir string, w int) func(ops int) error
}{
	{"lookup-same", false, func(t target, dir string, _ int) func(int) error {
		return goRound(newLookup(t), []string{dir + "/" + fileName(0)})
	}},
	{"lookup-different", false, func(t target, dir string, w int) func(int) error {
		return goRound(newLookup(t), workerFiles(dir, w))
	}},
	{"stat-same", false, func(t target, dir string, _ int) func(int) error {
		return goRound(newStat(t), []string{dir + "/" + fileName(0)})
	}},
	{"stat-different", false, func(t target, dir string, w int) func(int) error {
		return goRound(newStat(t), workerFiles(dir, w))
	}},
	{"create-remove", true, func(t target, dir string, w int) func(int) error {
		names := below(dir, 'a'+byte(w), leaves) // up to 'h'
		for i := range names {
			names[i] += strconv.Itoa(w) // none is a standing file's
		}
		return goRound(func(name string) error {
			if err := t.create(name); err != nil {
				return err
			}
			return t.remove(name)
		}, names)
	}},
}

// workerFiles returns the files that worker w has for itself.
func workerFiles(dir string, w int) []string {
	return below(dir, 'f', (w+1)*leaves)[w*leaves:]
}

// goRound returns a loop over names.
func goRound(call func(string) error, names []string) func(ops int) error {
	return func(ops int) error {
		at := 0
		for range ops {
			if err := call(names[at]); err != nil {
				return err
			}
			if at++; at == len(names) {
				at = 0
			}
		}
		return nil
	}
}

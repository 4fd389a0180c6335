package bench

// listMax is the size up to which a directory kept as a list is filled: the
// work grows with the square of the size.
const listMax = 20_000

// tooLong is the reason to leave a list out, or nil.
func tooLong(impl string, files int) error {
	if impl == "list" && files > listMax {
		return skipped("quadratic: filling a list of this size takes minutes")
	}
	return nil
}

func runFileCreate(c *Context) error {
	return c.fillDirectories([]int{1000, 10_000, 100_000}, "files", target.create)
}

func runMkdir(c *Context) error {
	return c.fillDirectories([]int{10_000}, "dirs", target.mkdir)
}

// fillDirectories measures how long it takes to make as many entries as each
// of the sizes says in one new directory of a new file system.
func (c *Context) fillDirectories(sizes []int, unit string, create func(target, string) error) error {
	var subjects []subject
	for _, size := range sizes {
		n := c.scaled(size, 10)
		p := param(unit, n)
		c.report.declare(c.bench, p)
		for _, impl := range everyone {
			// Small directories are filled several times, in as many file
			// systems, more by the fast rivals, to get a time worth measuring.
			files := 10_000
			if impl == "memfs" || impl == "afero" {
				files = 50_000
			}
			times := max(1, c.scaled(files, 10)/n)
			if err := tooLong(impl, n); err != nil {
				c.fail(impl, p, err)
				continue
			}
			subjects = append(subjects, subject{impl, p, func(m *meter) error {
				return fillRound(m, impl, n, times, create)
			}})
		}
	}
	c.compare(subjects...)
	trim()
	return nil
}

// fillRound times the creation of n entries in each of several directories.
func fillRound(m *meter, impl string, n, times int, create func(target, string) error) (err error) {
	targets := make([]target, 0, times)
	paths := make([][]string, 0, times)
	defer func() {
		for _, t := range targets {
			if cerr := t.close(); err == nil {
				err = cerr
			}
		}
	}()
	for range times {
		t, err := open(impl)
		if err != nil {
			return err
		}
		targets = append(targets, t)
		dir := t.root() + "/d"
		if err := t.mkdir(dir); err != nil {
			return err
		}
		paths = append(paths, below(dir, 'f', n))
	}
	return m.timeAllocs(n*times, func() error {
		for i, t := range targets {
			for _, p := range paths[i] {
				if err := create(t, p); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

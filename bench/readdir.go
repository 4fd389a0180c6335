package bench

import "fmt"

const pageSize = 100 // entries in a page of op=pages

func runReadDir(c *Context) error {
	for _, size := range []int{10_000, 100_000} {
		c.readDirOf(c.scaled(size, 10))
	}
	return nil
}

// readDirOf compares listings of a directory of n files. One operation is one
// listing from start to end.
func (c *Context) readDirOf(n int) {
	files := param("files", n)
	order := c.shuffled(n) // names in the order of creation would be sorted already
	targets := c.fixtures(files, everyone, func(t target) error {
		if err := tooLong(t.impl(), n); err != nil {
			return err
		}
		dir := t.root() + "/d"
		return fill(t, dir, pick(below(dir, 'f', n), order))
	})
	defer c.closeAll(targets)
	times := max(1, 50_000/n/c.cfg.Scale)
	var subjects []subject
	add := func(op string, list func(target, string) (int, error)) {
		for _, t := range targets {
			dir := t.root() + "/d"
			subjects = append(subjects, subject{t.impl(), files + ",op=" + op, func(m *meter) error {
				return m.time(times, func() error {
					for range times {
						if got, err := list(t, dir); err != nil {
							return err
						} else if got != n {
							return fmt.Errorf("self-check: listed %d entries of %d", got, n)
						}
					}
					return nil
				})
			}})
		}
	}
	add("sorted", target.listSorted)
	add("unsorted", target.list)
	add("pages", func(t target, dir string) (int, error) { return t.pages(dir, pageSize) })
	c.compare(subjects...)
}

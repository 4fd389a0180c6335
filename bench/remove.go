package bench

func runRemove(c *Context) error {
	n := c.scaled(10_000, 10)
	order := c.shuffled(n)
	var subjects []subject
	for _, impl := range everyone {
		subjects = append(subjects, subject{impl, param("files", n), func(m *meter) error {
			return fresh(impl, func(t target) error { return removeRound(m, t, order) })
		}})
	}
	c.compare(subjects...)
	trim()
	return nil
}

// removeRound fills a directory and times the removal of all files in order.
func removeRound(m *meter, t target, order []int) error {
	dir := t.root() + "/d"
	paths := below(dir, 'f', len(order))
	if err := fill(t, dir, paths); err != nil {
		return err
	}
	paths = pick(paths, order)
	if err := m.time(len(paths), func() error { return each(paths, t.remove) }); err != nil {
		return err
	}
	return expect(t, dir, 0)
}

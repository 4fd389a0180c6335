package bench

import "fmt"

func runRename(c *Context) error {
	n := c.scaled(10_000, 10)
	p := param("files", n)
	order := c.shuffled(n)
	targets := c.fixtures(p, everyone, func(t target) error {
		dir := t.root() + "/d"
		return fill(t, dir, below(dir, 'f', n))
	})
	defer c.closeAll(targets)
	var subjects []subject
	for _, t := range targets {
		ops := n
		switch t.impl() {
		case "list":
			ops = min(n, 1000)
		case "afero", "billy": // look at every file for each rename
			ops = min(n, 200)
		}
		dir := t.root() + "/d"
		from := pick(below(dir, 'f', n), order[:ops])
		to := pick(below(dir, 'r', n), order[:ops])
		subjects = append(subjects, subject{t.impl(), p, func(m *meter) error {
			if err := renameRound(m, t, from, to); err != nil {
				return err
			}
			return expect(t, dir, n)
		}})
	}
	c.compare(subjects...)
	return nil
}

// renameRound times renaming all of from and back, so that the next round
// finds what this one found.
func renameRound(m *meter, t target, from, to []string) error {
	return m.time(2*len(from), func() error {
		for i := range from {
			if err := t.rename(from[i], to[i]); err != nil {
				return err
			}
		}
		for i := range from {
			if err := t.rename(to[i], from[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// expect fails if dir does not have n entries.
func expect(t target, dir string, n int) error {
	got, err := t.listSorted(dir)
	if err == nil && got != n {
		err = fmt.Errorf("self-check: %d entries instead of %d", got, n)
	}
	return err
}

func runRenameDir(c *Context) error {
	var subjects []subject
	var all []target
	defer func() { c.closeAll(all) }()
	for _, size := range []int{100, 10_000} {
		dirs := max(1, c.scaled(size, 10)/100)
		files := min(c.scaled(size, 10), 100) // in each
		p := param("files", dirs*files)
		targets := c.fixtures(p, everyone, func(t target) error { return fillTree(t, dirs, files) })
		all = append(all, targets...)
		for _, t := range targets {
			ops := c.scaled(1000, 10)
			switch t.impl() {
			case "afero", "billy": // move every file below
				ops = max(1, 200/(dirs*files))
			}
			from, to := t.root()+"/d", t.root()+"/r"
			subjects = append(subjects, subject{t.impl(), p, func(m *meter) error {
				return renameDirRound(m, t, from, to, ops, dirs*files)
			}})
		}
	}
	c.compare(subjects...)
	return nil
}

// fillTree makes /d with dirs directories of files each.
func fillTree(t target, dirs, files int) error {
	top := t.root() + "/d"
	if err := t.mkdir(top); err != nil {
		return err
	}
	for _, dir := range below(top, 'd', dirs) {
		if err := fill(t, dir, below(dir, 'f', files)); err != nil {
			return err
		}
	}
	return nil
}

// renameDirRound times renaming a directory to and fro, and checks that a file
// below went with it.
func renameDirRound(m *meter, t target, from, to string, ops, files int) error {
	err := m.time(2*ops, func() error {
		for range ops {
			if err := t.rename(from, to); err != nil {
				return err
			}
			if err := t.rename(to, from); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := t.stat(from + "/" + numbered('d', 0) + "/" + fileName(min(files, 100)-1)); err != nil {
		return fmt.Errorf("self-check: %w", err)
	}
	return nil
}

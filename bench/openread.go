package bench

import "fmt"

func runOpenRead(c *Context) error {
	const size = 4096
	n := c.scaled(1000, 10)
	p := param("files", n, "size", "4KiB")
	targets := c.fixtures(p, everywhere, func(t target) error {
		dir, data := t.root()+"/d", make([]byte, size)
		if err := t.mkdir(dir); err != nil {
			return err
		}
		return each(below(dir, 'f', n), func(name string) error { return t.writeFile(name, data) })
	})
	defer c.closeAll(targets)
	buf := make([]byte, size)
	var subjects []subject
	for _, t := range targets {
		paths := below(t.root()+"/d", 'f', n)
		ops := c.lookupOps(t.impl()) / 2
		subjects = append(subjects, subject{t.impl(), p, func(m *meter) error {
			return m.timeAllocs(ops, func() error {
				for i := range ops {
					if got, err := t.openRead(paths[i%n], buf); err != nil {
						return err
					} else if got != size {
						return fmt.Errorf("self-check: read %d bytes of %d", got, size)
					}
				}
				return nil
			})
		}})
	}
	c.compare(subjects...)
	return nil
}

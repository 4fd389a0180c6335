package bench

import "runtime"

// memoryRounds bounds the rounds of memory: heap sizes repeat within a few
// bytes, and four samples are enough for the U-test.
const memoryRounds = 4

func runMemory(c *Context) error {
	const (
		emptyPlain  = "files=empty,cached=no"
		kibPlain    = "files=1KiB,cached=no"
		emptyCached = "files=empty,cached=yes"
	)
	many, some := c.scaled(300_000, 1000), c.scaled(100_000, 1000)
	for _, p := range []string{emptyPlain, kibPlain, emptyCached} {
		c.report.declare(c.bench, p)
	}
	var subjects []subject
	for _, impl := range everyone {
		switch impl {
		case "list":
			for _, p := range []string{emptyPlain, kibPlain, emptyCached} {
				c.fail(impl, p, skipped("quadratic: filling a list of this size takes minutes"))
			}
			continue
		case "tmpfs":
			for _, p := range []string{emptyPlain, kibPlain, emptyCached} {
				c.fail(impl, p, skipped("lives in the kernel, not on the heap"))
			}
			continue
		}
		subjects = append(subjects,
			subject{impl, emptyPlain, func(m *meter) error { return memoryRound(m, openers[impl], many, 0, false) }},
			subject{impl, kibPlain, func(m *meter) error { return memoryRound(m, openers[impl], some, 1024, false) }})
		if impl == "memfs" {
			opener := func() (target, error) { return openMemfsCached(many) }
			subjects = append(subjects,
				subject{impl, emptyCached, func(m *meter) error { return memoryRound(m, opener, many, 0, true) }})
		} else {
			c.fail(impl, emptyCached, skipped("has no cache of names"))
		}
	}
	c.compareRounds(min(c.cfg.Count, memoryRounds), subjects...)
	trim()
	return nil
}

// memoryRound reports by how much the heap grows for each of n files of the
// given size in one directory, after all were looked up if cached is set. Each
// name is allocated for its call, so whoever keeps it pays for it.
func memoryRound(m *meter, opener func() (target, error), n, size int, cached bool) error {
	data := make([]byte, size)
	before := heapInUse()
	t, err := opener()
	if err != nil {
		return err
	}
	dir := t.root() + "/d"
	if err := t.mkdir(dir); err != nil {
		return err
	}
	for i := range n {
		name := dir + "/" + fileName(i)
		if size == 0 {
			err = t.create(name)
		} else {
			err = t.writeFile(name, data)
		}
		if err != nil {
			return err
		}
	}
	if cached {
		lookup := t.newLookup()
		for i := range n {
			if err := lookup(dir + "/" + fileName(i)); err != nil {
				return err
			}
		}
	}
	after := heapInUse()
	runtime.KeepAlive(data)
	m.report(metricMemory, (float64(after)-float64(before))/float64(n), unitMemory)
	return t.close() // also keeps t alive until here
}

// heapInUse returns the bytes of all objects that are in use. The second
// collection empties what the first left in pools.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	return ms.HeapAlloc
}

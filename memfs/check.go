package memfs

import (
	"errors"
	"fmt"
)

// Check walks the whole file system and reports everything that does not agree: link counts, parents, entries without
// inodes, dentries without entries, pivots that lead elsewhere, and the counts of pages and inodes. It is meant for
// tests. Nothing may change, and no file may be open or removed but open, while it runs.
func (f *FS) Check() error {
	c := checker{sb: f.sb, links: map[*inode]uint32{}}
	c.directory(f.sb.root)
	c.inodes()
	c.quotas()
	c.dentries()
	c.locks()
	if c.sb.stage != nil {
		if err := c.sb.stage.Check(); err != nil {
			c.failf("%w", err)
		}
	}
	return errors.Join(c.errs...)
}

type checker struct {
	sb    *superblock
	links map[*inode]uint32 // names found for each inode; of a directory, with "." and the ".." of its children
	errs  []error
}

func (c *checker) failf(format string, args ...any) {
	if len(c.errs) < 100 {
		c.errs = append(c.errs, fmt.Errorf("memfs: "+format, args...))
	}
}

// directory checks one directory and all below it.
func (c *checker) directory(dir *inode) {
	c.links[dir] += 2 // its name and "."
	if err := dir.dir.entries.Check(); err != nil {
		c.failf("directory %d: %w", dir.ino, err)
	}
	if dir.dir.entries.Dead() {
		c.failf("directory %d is in the tree but dead", dir.ino)
	}
	after := uint64(0)
	for {
		batch := dir.dir.entries.Batch(nil, after, batchMax)
		if len(batch) == 0 {
			return
		}
		for _, entry := range batch {
			c.entry(dir, entry.Name, entry.Value)
		}
		after = batch[len(batch)-1].Key
	}
}

func (c *checker) entry(dir *inode, name string, ref Ref) {
	n := c.sb.table.get(ref.Ino())
	switch {
	case n == nil:
		c.failf("%q in directory %d: no inode %d", name, dir.ino, ref.Ino())
		return
	case n.ref() != ref:
		c.failf("%q in directory %d: reference %x, inode says %x", name, dir.ino, ref, n.ref())
	}
	if !n.isDir() {
		c.links[n]++
		return
	}
	if _, twice := c.links[n]; twice {
		c.failf("%q: directory %d has two names", name, n.ino)
		return
	}
	if up := n.dir.up.Load(); up.parent != dir || up.name != name {
		c.failf("directory %d is %q in %d, but says %q in %d", n.ino, name, dir.ino, up.name, up.parent.ino)
	}
	c.links[dir]++
	c.directory(n)
}

// inodes compares the inodes with the names that were found.
func (c *checker) inodes() {
	pages, inodes, space := int64(0), int64(0), int64(0)
	stores := newContentsChecker()
	for n := range c.sb.table.all() {
		found := c.links[n]
		if links := n.nlink.Load(); links != found {
			c.failf("inode %d: link count %d, found %d", n.ino, links, found)
		}
		if refs := n.refs.Load(); refs != 1 {
			c.failf("inode %d: %d references, its names are one", n.ino, refs)
		}
		inodes++
		if !n.isDir() && found > 1 {
			inodes += int64(found) - 1
		}
		if body := n.data.Load(); body != nil {
			if held := body.held.Load(); held != body.store.pages() {
				c.failf("inode %d: %d pages counted, %d there", n.ino, held, body.store.pages())
			}
			if err := stores.check(body.store, n.size.Load()); err != nil {
				c.failf("inode %d: %w", n.ino, err)
			}
			pages += body.held.Load()
		}
		space += c.extras(n)
		delete(c.links, n)
	}
	for n := range c.links {
		c.failf("inode %d is in the tree but not in the table", n.ino)
	}
	if used := c.sb.limits.pages.Load(); used != pages {
		c.failf("%d pages charged, %d in use", used, pages)
	}
	if used := c.sb.limits.inodes.Load(); used != inodes*inodeSpace+space {
		c.failf("%d bytes charged, in use are %d inodes and %d bytes of attributes", used, inodes, space)
	}
}

// dentries compares the cache with the directories.
func (c *checker) dentries() {
	cache := c.sb.cache
	if cache == nil {
		return
	}
	if err := cache.Check(); err != nil {
		c.failf("%w", err)
	}
	for d := range cache.All() {
		dir := c.sb.table.get(d.Dir)
		if dir == nil {
			if d.Value != nil {
				c.failf("dentry %q in removed directory %d", d.Name, d.Dir)
			}
			continue
		}
		ref, found := dir.dir.entries.Get(c.sb.hasher.Sum(d.Name), d.Name)
		switch {
		case found && d.Value == nil:
			c.failf("dentry %q in directory %d: negative, but there is inode %d", d.Name, d.Dir, ref.Ino())
		case !found && d.Value != nil:
			c.failf("dentry %q in directory %d: inode %d, but there is no such name", d.Name, d.Dir, d.Value.ino)
		case found && d.Value.ino != ref.Ino():
			c.failf("dentry %q in directory %d: inode %d, the entry has %d", d.Name, d.Dir, d.Value.ino, ref.Ino())
		}
	}
}

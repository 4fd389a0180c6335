package memfs

import "math/bits"

// What fallocate and clones ask of a store. The file's lock is held exclusive, and what is allocated has been charged.

// sparse is the store of a regular file.
type sparse interface {
	store
	// allocate gives the pages first to last memory, in name at least: those that were holes have not been written yet,
	// and those that had been allocated before count as written from now on, as on tmpfs.
	allocate(first, last int64)
	// confirm makes those of the pages from first to before end that are allocated count as written.
	confirm(first, end int64)
	// punch makes n bytes from off on zeros and frees the pages that lie in them whole; it returns their number.
	punch(off, n int64) int64
	// zero makes n bytes from off on zeros and their pages allocated ones, not written where they lie in them whole.
	zero(off, n int64)
}

func (s *paged) allocate(first, last int64) {
	s.lift(last)
	s.allocateBelow(&s.root, s.height, first, last, true)
}

func (s *paged) confirm(first, end int64) {
	if s.root == nil {
		return
	}
	if last := min(end, span(s.height)) - 1; first <= last {
		s.allocateBelow(&s.root, s.height, first, last, false)
	}
}

// allocateBelow is allocate for a node, or confirm if it is not to make what is missing.
func (s *paged) allocateBelow(slot **pageNode, height int, first, last int64, missing bool) {
	n, whole := *slot, first == 0 && last == span(height)-1
	switch {
	case !missing && (n == nil || n.have == n.data):
		return
	case n == nil && whole:
		*slot = unwritten[height]
		return
	case n != nil && n.data == span(height):
		return
	case n != nil && whole && n.data == 0 && n.have == span(height):
		*slot = zeros[height]
		return
	}
	n = s.own(slot, height)
	if height == 0 {
		for i := first; i <= last; i++ {
			switch {
			case n.there>>i&1 == 0:
				if missing {
					n.put(i, nil, false)
				}
			case n.pages[i] == nil:
				n.put(i, zeroPage, false)
			}
		}
		return
	}
	for i := first >> (fanShift * height); i <= last>>(fanShift*height); i++ {
		kid := &n.kids[i]
		if *kid != nil {
			n.have, n.data = n.have-(*kid).have, n.data-(*kid).data
		}
		from, to := kidRange(height, i, first, last)
		if s.allocateBelow(kid, height-1, from, to, missing); *kid != nil {
			n.have, n.data = n.have+(*kid).have, n.data+(*kid).data
		}
	}
}

func (s *paged) punch(off, n int64) int64 {
	before := s.pages()
	if first, last := s.clearEdges(off, n); first <= last {
		s.drop(first, last)
	}
	return before - s.pages()
}

func (s *paged) zero(off, n int64) {
	if first, last := s.clearEdges(off, n); first <= last {
		s.drop(first, last)
	}
	first, last := off>>pageShift, (off+n-1)>>pageShift
	for _, edge := range [2]int64{first, last} {
		if s.missing(edge<<pageShift, 1) == 1 {
			s.allocate(edge, edge)
		}
	}
	if first+1 < last {
		s.allocate(first+1, last-1)
	}
}

// clearEdges zeroes those of n bytes from off on that share their page with others, and returns the pages between.
func (s *paged) clearEdges(off, n int64) (first, last int64) {
	first, last = wholePages(off, n)
	end := off + n
	if off%pageSize != 0 {
		s.clear(off, min(n, pageSize-off%pageSize))
	}
	if end%pageSize != 0 && end>>pageShift >= first {
		s.clear(end-end%pageSize, end%pageSize)
	}
	return first, last
}

// wholePages returns the first and the last page that lie in n bytes from off on; last is less than first if there are
// none.
func wholePages(off, n int64) (first, last int64) {
	first = off >> pageShift
	if off%pageSize != 0 {
		first++
	}
	return first, (off+n)>>pageShift - 1
}

func (f *flat) allocate(first, last int64) {
	mask := pageMask(first<<pageShift, (last+1)<<pageShift)
	f.data |= f.have & mask
	f.have |= mask
}

func (f *flat) confirm(first, end int64) {
	if end = min(end, flatMax>>pageShift); first < end {
		f.data |= f.have & pageMask(first<<pageShift, end<<pageShift)
	}
}

func (f *flat) punch(off, n int64) int64 {
	before := f.pages()
	gone := f.blank(off, n)
	f.have &^= gone
	return before - f.pages()
}

func (f *flat) zero(off, n int64) {
	f.blank(off, n)
	f.have |= pageMask(off, min(off+n, flatMax))
}

// blank zeroes n bytes from off on, and returns the pages that lie in them whole; those are not written any more.
func (f *flat) blank(off, n int64) (whole uint16) {
	if off < int64(len(f.b)) {
		clear(f.b[off:min(off+n, int64(len(f.b)))])
	}
	if first, last := wholePages(off, n); first <= min(last, flatMax>>pageShift-1) {
		whole = pageMask(first<<pageShift, min((last+1)<<pageShift, flatMax))
	}
	if f.data &^= whole; f.data == 0 {
		f.b = nil
	}
	return whole
}

// share returns a tree with the same pages, of which either gets its own copy when it changes them.
func (s *paged) share() *paged {
	if s.root != nil {
		s.owner = new(owner)
	}
	return &paged{root: s.root, height: s.height, owner: new(owner)}
}

// lend returns page i for another tree, or for another place in this one: nobody may change it from now on.
func (s *paged) lend(i int64) *page {
	n := s.leaf(i)
	if n == nil || n.pages[i&fanMask] == nil {
		return zeroPage
	}
	if n.owner == s.owner {
		n.mine &^= 1 << (i & fanMask)
	}
	return n.pages[i&fanMask]
}

// borrow makes p, which came from lend, page i.
func (s *paged) borrow(i int64, p *page) {
	var path pagePath
	n := s.change(i, &path)
	have, data := n.have, n.data
	n.put(i&fanMask, p, false)
	s.grew(&path, n.have-have, n.data-data)
}

// moved returns the tree in which what began at page from begins at page to. What lay between is gone (to < from), or
// there is a hole (to > from). The old tree must not be used any more.
func (s *paged) moved(from, to int64) *paged {
	t := &paged{owner: s.owner}
	low := min(from, to)
	s.walk(s.root, s.height, 0, func(i, count int64, p *page, mine bool) {
		if keep := min(count, low-i); keep > 0 {
			t.add(i, keep, p, mine)
			i, count = i+keep, count-keep
		}
		if gone := min(count, from-i); gone > 0 {
			i, count = i+gone, count-gone
		}
		if count > 0 {
			t.add(i+to-from, count, p, mine)
		}
	})
	return t
}

// walk calls visit for all allocated pages below n in ascending order; several with a number that follow each other come
// at once where none of them was written, or all with zeros. mine says that nobody else has the page.
func (s *paged) walk(n *pageNode, height int, base int64, visit func(i, count int64, p *page, mine bool)) {
	switch {
	case n == nil:
	case n.data == 0 && n.have == span(height):
		visit(base, n.have, nil, false)
	case n == zeros[height]:
		visit(base, n.have, zeroPage, false)
	case height == 0:
		for i := range int64(fanOut) {
			if n.there>>i&1 == 1 {
				visit(base+i, 1, n.pages[i], n.owner == s.owner && n.mine>>i&1 == 1)
			}
		}
	default:
		for i, kid := range n.kids {
			s.walk(kid, height-1, base+int64(i)<<(fanShift*height), visit)
		}
	}
}

// add puts what walk has visited at page i, where there is a hole.
func (s *paged) add(i, count int64, p *page, mine bool) {
	if p == nil || count > 1 {
		s.allocate(i, i+count-1)
		if p != nil {
			s.allocate(i, i+count-1) // the second time makes zeros of what was not written
		}
		return
	}
	var path pagePath
	n := s.change(i, &path)
	have, data := n.have, n.data
	n.put(i&fanMask, p, mine)
	s.grew(&path, n.have-have, n.data-data)
}

// last returns the number of the last allocated page, -1 if there is none.
func (s *paged) last() int64 {
	base := int64(0)
	n := s.root
	for h := s.height; n != nil; h-- {
		if h == 0 {
			return base + int64(bits.Len64(n.there)) - 1
		}
		i := int64(fanOut - 1)
		for n.kids[i] == nil {
			i--
		}
		base += i << (fanShift * h)
		n = n.kids[i]
	}
	return -1
}

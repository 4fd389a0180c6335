package memfs

const (
	fanShift = 6
	fanOut   = 1 << fanShift
	fanMask  = fanOut - 1
)

type page [pageSize]byte

// paged is the store of a large or sparse file: a radix tree of pages, as high as the largest page number needs. A hole
// has no pages, and a wide one no nodes either.
type paged struct {
	root   *pageNode // nil while there are no pages
	height int       // levels of nodes above the lowest one
	count  int64     // allocated pages
}

// pageNode holds pages on the lowest level and nodes above it.
type pageNode struct {
	pages []*page     // fanOut, or nil
	kids  []*pageNode // fanOut, or nil
	used  int         // slots in use
}

func newPageNode(height int) *pageNode {
	if height == 0 {
		return &pageNode{pages: make([]*page, fanOut)}
	}
	return &pageNode{kids: make([]*pageNode, fanOut)}
}

// reaches reports whether the tree is high enough for page number i.
func (s *paged) reaches(i int64) bool {
	return s.root != nil && i>>(fanShift*s.height) < fanOut
}

// leaf returns the lowest node for page number i, nil if there is none.
func (s *paged) leaf(i int64) *pageNode {
	if !s.reaches(i) {
		return nil
	}
	n := s.root
	for h := s.height; h > 0 && n != nil; h-- {
		n = n.kids[i>>(fanShift*h)&fanMask]
	}
	return n
}

// makeLeaf is leaf, but makes what is missing.
func (s *paged) makeLeaf(i int64) *pageNode {
	if s.root == nil {
		s.root = newPageNode(s.height)
	}
	for !s.reaches(i) {
		s.height++
		up := newPageNode(s.height)
		up.kids[0], up.used = s.root, 1
		s.root = up
	}
	n := s.root
	for h := s.height; h > 0; h-- {
		kid := &n.kids[i>>(fanShift*h)&fanMask]
		if *kid == nil {
			*kid = newPageNode(h - 1)
			n.used++
		}
		n = *kid
	}
	return n
}

// page returns page number i, made now if it was a hole.
func (s *paged) page(n *pageNode, i int64) *page {
	slot := &n.pages[i&fanMask]
	if *slot == nil {
		*slot = new(page)
		n.used++
		s.count++
	}
	return *slot
}

func (s *paged) readAt(p []byte, off int64) {
	for len(p) > 0 {
		n := s.leaf(off >> pageShift)
		for more := true; more && len(p) > 0; more = off&(fanOut*pageSize-1) != 0 {
			part := p[:min(int64(len(p)), pageSize-off%pageSize)]
			if n == nil || n.pages[off>>pageShift&fanMask] == nil {
				clear(part)
			} else {
				copy(part, n.pages[off>>pageShift&fanMask][off%pageSize:])
			}
			p, off = p[len(part):], off+int64(len(part))
		}
	}
}

func (s *paged) writeAt(p []byte, off int64) {
	for len(p) > 0 {
		n := s.makeLeaf(off >> pageShift)
		for more := true; more && len(p) > 0; more = off&(fanOut*pageSize-1) != 0 {
			c := copy(s.page(n, off>>pageShift)[off%pageSize:], p)
			p, off = p[c:], off+int64(c)
		}
	}
}

func (s *paged) missing(off, n int64) int64 {
	first, last := off>>pageShift, (off+n-1)>>pageShift
	count := last - first + 1
	for i := first; i <= last; {
		end := min(last, i|fanMask)
		if leaf := s.leaf(i); leaf != nil {
			for ; i <= end; i++ {
				if leaf.pages[i&fanMask] != nil {
					count--
				}
			}
		}
		i = end + 1
	}
	return count
}

func (s *paged) truncate(size int64) int64 {
	before := s.count
	if s.root == nil {
		return 0
	}
	first := size >> pageShift // the first page that goes, or that loses its tail
	if tail := size % pageSize; tail != 0 {
		if n := s.leaf(first); n != nil && n.pages[first&fanMask] != nil {
			clear(n.pages[first&fanMask][tail:])
		}
		first++
	}
	if s.cut(s.root, s.height, 0, first); s.root.used == 0 {
		s.root, s.height = nil, 0
	}
	return before - s.count
}

// cut drops all pages with numbers from first on below node n, whose own pages begin with number base.
func (s *paged) cut(n *pageNode, height int, base, first int64) {
	for i := range int64(fanOut) {
		at := base + i<<(fanShift*height)
		past := at + 1<<(fanShift*height) // may wrap at the top of the number space: then nothing lies behind it
		switch {
		case past > at && past <= first:
		case height == 0:
			if n.pages[i] != nil {
				n.pages[i] = nil
				n.used--
				s.count--
			}
		case n.kids[i] != nil:
			if s.cut(n.kids[i], height-1, at, first); n.kids[i].used == 0 {
				n.kids[i] = nil
				n.used--
			}
		}
	}
}

func (s *paged) pages() int64 { return s.count }

func (s *paged) extent(off int64, data bool) int64 {
	i := off >> pageShift
	for s.reaches(i) {
		n, skip := s.root, int64(1)
		for h := s.height; h > 0 && n != nil; h-- {
			if n = n.kids[i>>(fanShift*h)&fanMask]; n == nil {
				skip = 1 << (fanShift * h) // nothing below that kid
			}
		}
		there := n != nil && n.pages[i&fanMask] != nil
		if there == data {
			return max(off, i<<pageShift)
		}
		i = (i/skip + 1) * skip
	}
	switch {
	case data:
		return -1
	case i > maxFileSize>>pageShift: // all pages to the last one a file can have
		return maxFileSize
	}
	return max(off, i<<pageShift)
}

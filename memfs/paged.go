package memfs

import "math/bits"

const (
	fanShift  = 6
	fanOut    = 1 << fanShift
	fanMask   = fanOut - 1
	maxHeight = 8                        // 64^9 pages are more than a file can have
	lastPage  = maxFileSize >> pageShift // the number of the last page of the largest file
	allBits   = ^uint64(0)               // all pages of a lowest node
)

type page [pageSize]byte

// paged is the store of a large or sparse file: a radix tree of pages, as high as the largest page number needs. A hole
// has no pages, and a wide one no nodes either.
//
// Nodes and pages can belong to several trees at once. Each node says which tree may change it; all others copy what
// they change, from the root down to the page, and leave the rest shared (as the B-trees of Btrfs do, Rodeh, "B-trees,
// shadowing, and clones", 2008, but with owners in place of reference counts: what is not shared any more is copied once
// more than needed, and a clone takes no longer for a large file than for a small one).
type paged struct {
	root   *pageNode // nil while there are no pages
	height int       // levels of nodes above the lowest one
	owner  *owner    // of the nodes that this tree may change
}

// owner is an identity. The nil owner is that of a tree that never shared anything.
type owner struct{ _ byte }

// sealed owns the nodes that nobody may change.
var sealed = new(owner)

// pageNode holds pages on the lowest level and nodes above it.
type pageNode struct {
	owner *owner
	kids  *[fanOut]*pageNode // nil on the lowest level
	pages *[fanOut]*page     // nil above it; no page where nothing was written
	have  int64              // allocated pages below
	data  int64              // those of them that were written
	there uint64             // lowest level: the allocated pages
	mine  uint64             // lowest level: the pages that no other node has, if the tree owns this node
}

// zeroPage is every page that is known to be zeros although it was written.
var zeroPage = new(page)

// unwritten and zeros are the trees of each height that have all their pages: never written, or written with zeros.
// They make an allocation of any size as cheap as a small one.
var unwritten, zeros = fullNodes(nil), fullNodes(zeroPage)

func fullNodes(p *page) (nodes [maxHeight + 1]*pageNode) {
	leaf := newPageNode(0, sealed)
	leaf.have, leaf.there = fanOut, allBits
	for i := range leaf.pages {
		leaf.pages[i] = p
	}
	if p != nil {
		leaf.data = fanOut
	}
	nodes[0] = leaf
	for h := 1; h <= maxHeight; h++ {
		n := newPageNode(h, sealed)
		n.have, n.data = nodes[h-1].have*fanOut, nodes[h-1].data*fanOut
		for i := range n.kids {
			n.kids[i] = nodes[h-1]
		}
		nodes[h] = n
	}
	return nodes
}

func newPageNode(height int, o *owner) *pageNode {
	if height == 0 {
		return &pageNode{owner: o, pages: new([fanOut]*page)}
	}
	return &pageNode{owner: o, kids: new([fanOut]*pageNode)}
}

// span is the number of pages below a node.
func span(height int) int64 { return 1 << (fanShift * (height + 1)) }

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

// own returns the node in slot as one that this tree may change: made, or copied, if need be.
func (s *paged) own(slot **pageNode, height int) *pageNode {
	n := *slot
	switch {
	case n == nil:
		n = newPageNode(height, s.owner)
	case n.owner == s.owner:
		return n
	default:
		c := *n
		c.owner, c.mine = s.owner, 0
		if height == 0 {
			pages := *n.pages
			c.pages = &pages
		} else {
			kids := *n.kids
			c.kids = &kids
		}
		n = &c
	}
	*slot = n
	return n
}

// lift makes the tree high enough for page number i.
func (s *paged) lift(i int64) {
	for s.root == nil && i>>(fanShift*s.height) >= fanOut {
		s.height++
	}
	for s.root != nil && !s.reaches(i) {
		s.height++
		up := newPageNode(s.height, s.owner)
		up.kids[0], up.have, up.data = s.root, s.root.have, s.root.data
		s.root = up
	}
}

// pagePath is the nodes from the lowest level to the root.
type pagePath [maxHeight + 1]*pageNode

// change returns the lowest node for page number i to be changed, and the nodes above it for grew.
func (s *paged) change(i int64, path *pagePath) *pageNode {
	s.lift(i)
	n := s.own(&s.root, s.height)
	for h := s.height; h > 0; h-- {
		path[h] = n
		n = s.own(&n.kids[i>>(fanShift*h)&fanMask], h-1)
	}
	path[0] = n
	return n
}

// grew counts what was added to the lowest node of path.
func (s *paged) grew(path *pagePath, have, data int64) {
	if have|data == 0 {
		return
	}
	for h := 1; h <= s.height; h++ {
		path[h].have += have
		path[h].data += data
	}
}

// renew puts a page of the tree's own in place i of a lowest node, with what was there.
func (n *pageNode) renew(i int64) *page {
	p := new(page)
	if was := n.pages[i]; was != nil && was != zeroPage {
		*p = *was
	}
	n.put(i, p, true)
	return p
}

// put makes p the page in place i of a lowest node; no page stands for one that was not written.
func (n *pageNode) put(i int64, p *page, mine bool) {
	bit := uint64(1) << i
	if n.there&bit == 0 {
		n.there |= bit
		n.have++
	}
	if n.pages[i] != nil {
		n.data--
	}
	if p != nil {
		n.data++
	}
	n.pages[i] = p
	n.mine &^= bit
	if mine {
		n.mine |= bit
	}
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
	var path pagePath
	for len(p) > 0 {
		n := s.change(off>>pageShift, &path)
		have, data := n.have, n.data
		for more := true; more && len(p) > 0; more = off&(fanOut*pageSize-1) != 0 {
			i := off >> pageShift & fanMask
			to := n.pages[i]
			if n.mine>>i&1 == 0 {
				to = n.renew(i)
			}
			c := copy(to[off%pageSize:], p)
			p, off = p[c:], off+int64(c)
		}
		s.grew(&path, n.have-have, n.data-data)
	}
}

func (s *paged) missing(off, n int64) int64 {
	first, last := off>>pageShift, (off+n-1)>>pageShift
	count := last - first + 1
	if s.root == nil {
		return count
	}
	if last = min(last, span(s.height)-1); first > last {
		return count
	}
	return count - s.root.allocated(s.height, first, last)
}

// allocated counts the allocated ones of the pages first to last below n, which are counted from n's first page on, as
// in the other functions with a height.
func (n *pageNode) allocated(height int, first, last int64) int64 {
	switch {
	case n == nil:
		return 0
	case first == 0 && last == span(height)-1:
		return n.have
	case height == 0:
		return int64(bits.OnesCount64(n.there & bitRange(first, last)))
	}
	count := int64(0)
	for i, kid := range n.kids[first>>(fanShift*height) : last>>(fanShift*height)+1] {
		if kid != nil {
			from, to := kidRange(height, first>>(fanShift*height)+int64(i), first, last)
			count += kid.allocated(height-1, from, to)
		}
	}
	return count
}

// kidRange is the part of the pages first to last that lies below kid i.
func kidRange(height int, i, first, last int64) (from, to int64) {
	base := i << (fanShift * height)
	return max(first-base, 0), min(last-base, span(height-1)-1)
}

// bitRange has the bits first to last.
func bitRange(first, last int64) uint64 { return allBits << first & (allBits >> (fanMask - last)) }

func (s *paged) truncate(size int64) int64 {
	before := s.pages()
	first := size >> pageShift // the first page that goes, or that loses its tail
	if tail := size % pageSize; tail != 0 {
		s.clear(size, pageSize-tail)
		first++
	}
	s.drop(first, span(maxHeight)-1)
	return before - s.pages()
}

// clear sets n bytes from off on, all in one page, to zero.
func (s *paged) clear(off, n int64) {
	i := off >> pageShift
	if leaf := s.leaf(i); leaf == nil || leaf.pages[i&fanMask] == nil || leaf.pages[i&fanMask] == zeroPage {
		return
	}
	var path pagePath
	leaf := s.change(i, &path)
	p := leaf.pages[i&fanMask]
	if leaf.mine>>(i&fanMask)&1 == 0 {
		p = leaf.renew(i & fanMask)
	}
	clear(p[off%pageSize:][:n])
}

// drop frees the pages first to last.
func (s *paged) drop(first, last int64) {
	if s.root == nil {
		return
	}
	if last = min(last, span(s.height)-1); first <= last {
		s.dropBelow(&s.root, s.height, first, last)
	}
	if s.root == nil {
		s.height = 0
	}
}

func (s *paged) dropBelow(slot **pageNode, height int, first, last int64) {
	if (*slot).allocated(height, first, last) == 0 {
		return
	}
	if (*slot).allocated(height, first, last) == (*slot).have {
		*slot = nil
		return
	}
	n := s.own(slot, height)
	if height == 0 {
		for i := first; i <= last; i++ {
			if n.pages[i] != nil {
				n.pages[i] = nil
				n.data--
			}
		}
		gone := bitRange(first, last)
		n.there &^= gone
		n.mine &^= gone
		n.have = int64(bits.OnesCount64(n.there))
		return
	}
	for i := first >> (fanShift * height); i <= last>>(fanShift*height); i++ {
		kid := &n.kids[i]
		if *kid == nil {
			continue
		}
		from, to := kidRange(height, i, first, last)
		n.have, n.data = n.have-(*kid).have, n.data-(*kid).data
		if s.dropBelow(kid, height-1, from, to); *kid != nil {
			n.have, n.data = n.have+(*kid).have, n.data+(*kid).data
		}
	}
}

func (s *paged) pages() int64 {
	if s.root == nil {
		return 0
	}
	return s.root.have
}

func (s *paged) extent(off int64, data bool) int64 {
	i, there := off>>pageShift, int64(-1)
	if s.reaches(i) {
		there = s.root.find(s.height, i, data)
	} else if !data {
		return off
	}
	switch {
	case there < 0 && data:
		return -1
	case there < 0:
		there = span(s.height)
	}
	if there > lastPage { // all pages to the last one a file can have
		return maxFileSize
	}
	return max(off, there<<pageShift)
}

// find returns the first page from number from on that was written, or that was not; -1 if there is none below n.
func (n *pageNode) find(height int, from int64, data bool) int64 {
	switch {
	case n == nil:
		if data {
			return -1
		}
		return from
	case data && n.data == 0, !data && n.data == span(height):
		return -1
	case height == 0:
		for i := from; i < fanOut; i++ {
			if (n.pages[i] != nil) == data {
				return i
			}
		}
		return -1
	}
	for i := from >> (fanShift * height); i < fanOut; i++ {
		base := i << (fanShift * height)
		if at := n.kids[i].find(height-1, max(from-base, 0), data); at >= 0 {
			return base + at
		}
	}
	return -1
}

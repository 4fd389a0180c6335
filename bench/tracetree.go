package bench

import (
	"path"
	"strconv"
	"strings"
)

// Bounds of the tree that a trace needs.
const (
	maxTraceNodes = 4 << 20
	maxTraceName  = 255        // bytes
	maxTraceLinks = 40         // followed in one path, as in Linux
	hiddenLinks   = "/.traced" // where links lead whose text the trace does not tell
)

// traceNode is a file, directory or link as a trace shows it. It stands where
// the trace has it now, and remembers where it stood at the beginning.
type traceNode struct {
	parent *traceNode
	name   string
	kids   map[string]*traceNode
	gone   map[string]bool // names that the trace took away
	kind   byte            // 'd', 'f', 'l', or 0: nothing has told it yet
	text   string          // of a link

	atStart   bool
	startDir  *traceNode
	startName string
	startKids []*traceNode

	full    bool // rmdir said that the directory is not empty
	touched bool // names in it come or go
	moved   bool // it was renamed or removed
}

// traceTree finds out what there was when a trace began: all that calls found
// and no call had made. It follows the calls in their order.
type traceTree struct {
	root    *traceNode
	links   map[string]string // link texts by path, "" where the trace tells only that it is a link
	missing map[string]bool   // paths that a call did not find
	nodes   int
	hidden  int
}

func newTraceTree(t *trace) *traceTree {
	m := &traceTree{links: make(map[string]string), missing: make(map[string]bool)}
	m.root = &traceNode{kind: 'd', atStart: true}
	m.root.parent = m.root
	made := make(map[string]bool)
	for i := range t.calls {
		c := &t.calls[i]
		name := fullPath(c.dir, c.path)
		switch {
		case c.errno != "":
		case c.kind == callSymlink:
			made[name] = true
		case made[name]:
		case c.kind == callReadlink:
			if m.links[name] == "" {
				m.links[name] = c.text
			}
		case c.kind == callLstat && c.fileType == 'l':
			m.links[name] += ""
		}
	}
	return m
}

// fullPath is path from dir without dots and double slashes.
func fullPath(dir, name string) string { return path.Clean("/" + joinDir(dir, name)) }

// startPath is where n was at the beginning; "" for the root.
func (n *traceNode) startPath() string {
	if n.startDir == nil {
		return ""
	}
	return n.startDir.startPath() + "/" + n.startName
}

// path is where n is now.
func (n *traceNode) path() string {
	if n.parent == n {
		return ""
	}
	return n.parent.path() + "/" + n.name
}

// discover returns what is called name in dir. What the trace has not made and
// not taken away must have been there from the beginning.
func (m *traceTree) discover(dir *traceNode, name string) *traceNode {
	if n := dir.kids[name]; n != nil {
		return n
	}
	if !dir.atStart || dir.gone[name] || m.nodes >= maxTraceNodes || len(name) > maxTraceName {
		return nil
	}
	n := &traceNode{atStart: true, startDir: dir, startName: name}
	if len(n.startPath()) > maxTracePath {
		return nil
	}
	dir.startKids = append(dir.startKids, n)
	m.attach(dir, name, n)
	if text, ok := m.links[n.path()]; ok {
		n.kind, n.text = 'l', text
	}
	return n
}

func (m *traceTree) attach(dir *traceNode, name string, n *traceNode) {
	if dir.kids == nil {
		dir.kids = make(map[string]*traceNode)
	}
	m.nodes++
	n.parent, n.name = dir, name
	dir.kids[name] = n
	delete(dir.gone, name)
}

func (m *traceTree) detach(n *traceNode) {
	dir := n.parent
	if dir.gone == nil {
		dir.gone = make(map[string]bool)
	}
	delete(dir.kids, n.name)
	dir.gone[n.name] = true
	dir.touched, n.moved = true, true
}

// create puts a new node of kind at a place.
func (m *traceTree) create(at spot, kind byte) *traceNode {
	if at.dir == nil || at.name == "" || m.nodes >= maxTraceNodes || len(at.name) > maxTraceName {
		return nil
	}
	n := &traceNode{kind: kind}
	m.attach(at.dir, at.name, n)
	at.dir.touched = true
	return n
}

// spot is the end of a path: a name in a directory, or a directory alone for
// "/", "." and "..".
type spot struct {
	dir  *traceNode
	name string
}

// node returns what is at the spot, if anything is or was.
func (m *traceTree) node(at spot) *traceNode {
	switch {
	case at.dir == nil:
		return nil
	case at.name == "":
		return at.dir
	}
	return m.discover(at.dir, at.name)
}

// known is node for a spot at which nothing need be.
func (m *traceTree) known(at spot) *traceNode {
	switch {
	case at.dir == nil:
		return nil
	case at.name == "":
		return at.dir
	}
	return at.dir.kids[at.name]
}

// walk goes along name from dir, over all directories and links on the way, and
// over a link at the end if follow says so. Its spot has no directory if the
// trace contradicts itself on the way.
func (m *traceTree) walk(dir, name string, follow bool) spot {
	budget := maxTraceLinks
	return m.step(m.root, joinDir(dir, name), follow, &budget)
}

func (m *traceTree) step(at *traceNode, name string, follow bool, budget *int) spot {
	if strings.HasPrefix(name, "/") {
		at = m.root
	}
	if strings.HasSuffix(name, "/") {
		follow = true
	}
	place := spot{at, ""}
	for rest := name; ; {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return place
		}
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if place = m.enter(place, budget); place.dir == nil {
			return spot{}
		}
		switch part {
		case ".":
		case "..":
			place.dir = place.dir.parent
		default:
			place.name = part
			if strings.Trim(rest, "/") == "" && follow {
				return m.followed(place, budget)
			}
		}
	}
}

// enter makes a spot within the directory that at names.
func (m *traceTree) enter(at spot, budget *int) spot {
	if at.name == "" {
		return at
	}
	at = m.followed(at, budget)
	n := m.node(at)
	if n == nil || n.kind != 'd' && n.kind != 0 {
		return spot{}
	}
	n.kind = 'd'
	return spot{n, ""}
}

// followed returns where the link at leads to, at itself if it is none.
func (m *traceTree) followed(at spot, budget *int) spot {
	n := m.known(at)
	if n == nil && at.dir != nil && at.dir.atStart {
		if _, ok := m.links[at.dir.path()+"/"+at.name]; ok {
			n = m.node(at)
		}
	}
	if n == nil || n.kind != 'l' {
		return at
	}
	if *budget--; *budget < 0 {
		return spot{}
	}
	if n.text == "" {
		m.hidden++
		n.text = hiddenLinks + "/" + strconv.Itoa(m.hidden)
	}
	return m.step(n.parent, n.text, true, budget)
}

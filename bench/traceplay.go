package bench

import "strings"

// play takes one call into account.
func (m *traceTree) play(c *traceCall) {
	if c.errno != "" {
		m.playFailed(c)
		return
	}
	if c.kind == callOpen && c.flags.has(flagCreate) {
		m.playCreate(c)
		return
	}
	at := m.walk(c.dir, c.path, follows(c))
	switch c.kind {
	case callMkdir:
		m.playMake(at, 'd', "")
	case callSymlink:
		m.playMake(at, 'l', c.text)
	case callMknod:
		m.playMake(at, 'f', "")
	case callUnlink, callRmdir:
		if n := m.node(at); n != nil && at.name != "" {
			n.is(map[callKind]byte{callRmdir: 'd', callUnlink: 'f'}[c.kind])
			m.detach(n)
		}
	case callRename, callLink:
		m.playMove(c, at)
	default:
		if n := m.node(at); n != nil {
			n.is(m.evidence(c))
			if n.kind == 'l' && n.text == "" {
				n.text = c.text
			}
		}
	}
}

// follows reports whether the call follows a link at the end of its path.
func follows(c *traceCall) bool {
	switch c.kind {
	case callStat, callChdir, callChmod, callChown, callTimes, callTruncate:
		return true
	case callOpen:
		return !c.flags.has(flagNoFollow) && !(c.flags.has(flagCreate) && c.flags.has(flagExclusive))
	}
	return false
}

// evidence is what a call that succeeded says about the type of what it found.
func (m *traceTree) evidence(c *traceCall) byte {
	switch {
	case c.fileType != 0:
		return c.fileType
	case c.kind == callReadlink:
		return 'l'
	case c.kind == callChdir, c.flags.has(flagDirectory), strings.HasSuffix(c.path, "/"):
		return 'd'
	case c.kind == callTruncate, c.flags.has(flagWrite | flagReadWrite | flagTruncate):
		return 'f'
	}
	return 0
}

// is notes that n is of kind, unless something else is known already.
func (n *traceNode) is(kind byte) {
	if n.kind == 0 {
		n.kind = kind
	}
}

func (m *traceTree) playMake(at spot, kind byte, text string) {
	if m.known(at) == nil {
		if n := m.create(at, kind); n != nil {
			n.text = text
		}
	}
}

// playCreate is an open with O_CREAT that succeeded. It made the file if it had
// to, or if a call had missed the name before; else the file was there.
func (m *traceTree) playCreate(c *traceCall) {
	at := m.walk(c.dir, c.path, follows(c))
	n := m.known(at)
	if n == nil && !c.flags.has(flagExclusive) && !m.missing[fullPath(c.dir, c.path)] {
		n = m.node(at)
	}
	if n == nil {
		n = m.create(at, 'f')
	}
	if n != nil {
		n.is('f')
	}
}

// playMove is a rename or a link that succeeded.
func (m *traceTree) playMove(c *traceCall, from spot) {
	n := m.node(from)
	to := m.walk(c.dir2, c.path2, false)
	if n == nil || from.name == "" || to.dir == nil || to.name == "" {
		return
	}
	if old := m.known(to); old == n {
		return
	} else if old != nil {
		m.detach(old)
	}
	if c.kind == callLink {
		n.is('f')
		m.create(to, n.kind)
		return
	}
	for d := to.dir; d != m.root; d = d.parent {
		if d == n {
			return // no file system lets a directory go below itself
		}
	}
	m.detach(n)
	m.attach(to.dir, to.name, n)
	to.dir.touched = true
}

// playFailed learns from a call that failed.
func (m *traceTree) playFailed(c *traceCall) {
	switch c.errno {
	case "ENOENT":
		m.missing[fullPath(c.dir, c.path)] = true
	case "ENOTDIR":
		if c.kind == callRmdir || c.flags.has(flagDirectory) || strings.HasSuffix(c.path, "/") {
			m.found(c.dir, strings.TrimRight(c.path, "/"), 'f')
		} else if cut := strings.LastIndexByte(c.path, '/'); cut > 0 {
			m.found(c.dir, c.path[:cut], 'f')
		}
	case "EEXIST", "ENOTEMPTY":
		dir, name := c.dir, c.path
		if c.path2 != "" {
			m.found(dir, name, 0)
			dir, name = c.dir2, c.path2
		}
		kind := byte(0)
		if c.errno == "ENOTEMPTY" {
			kind = 'd'
		}
		if n := m.found(dir, name, kind); n != nil {
			n.full = n.full || kind == 'd'
		}
	case "EISDIR":
		m.found(c.dir, c.path, 'd')
	case "ELOOP":
		if c.flags.has(flagNoFollow) {
			m.found(c.dir, c.path, 'l')
		}
	case "EINVAL", "ENODATA", "EOPNOTSUPP", "ENOTSUP", "EACCES", "EPERM", "EROFS", "EBUSY", "ENXIO", "ERANGE":
		m.found(c.dir, c.path, 0)
	}
}

// found notes that there is something at a path.
func (m *traceTree) found(dir, name string, kind byte) *traceNode {
	n := m.node(m.walk(dir, name, false))
	if n != nil && kind != 0 {
		n.is(kind)
	}
	return n
}

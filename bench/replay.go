package bench

import (
	"os"
	"strings"
)

// replay is a trace made ready: the tree that it needs and its calls.
type replay struct {
	name  string
	root  *traceNode // with startKids
	views []string   // the directories to which relative paths are relative; "" is the root
	ops   []replayOp // each different call of a generated trace once
	order []int32    // the calls: indexes into ops
	turns [][]int32  // the same by thread

	changes bool // some call changes the tree
	left    string
}

// replayOp is a call, ready to be made.
type replayOp struct {
	kind   callKind
	view   int32
	flag   int // of OpenFile
	path   string
	path2  string
	want   outcome
	loose  bool // its outcome in the trace was up to something that the replay does not have
	thread int32
}

// newReplay finds the tree of a trace and prepares its calls.
func newReplay(t *trace) *replay {
	r := &replay{name: t.name, left: t.summary(), turns: make([][]int32, t.threads)}
	m := newTraceTree(t)
	index := make(map[string]int32)
	for i := range t.calls {
		c := &t.calls[i]
		op := r.prepare(m, c, index)
		m.play(c)
		r.turns[c.thread] = append(r.turns[c.thread], int32(i))
		r.order = append(r.order, int32(i))
		r.ops = append(r.ops, op)
	}
	r.root = m.root
	r.finish(m.root)
	return r
}

// finish settles what the trace left open: what nothing said to be a directory
// is a file, and a directory that was not empty gets something to hold.
func (r *replay) finish(n *traceNode) {
	r.changes = r.changes || n.touched
	switch {
	case len(n.startKids) > 0:
		n.kind = 'd'
	case n.kind == 0:
		n.kind = 'f'
	case n.kind == 'l' && n.text == "":
		n.text = strings.TrimPrefix(hiddenLinks, "/")
	case n.kind == 'd' && n.full && n.startDir != nil:
		n.startKids = append(n.startKids, &traceNode{kind: 'f', atStart: true, startDir: n, startName: "content"})
	}
	for _, kid := range n.startKids {
		r.finish(kid)
	}
}

func (r *replay) prepare(m *traceTree, c *traceCall, index map[string]int32) replayOp {
	op := replayOp{kind: c.kind, path: c.path, path2: c.path2, want: wanted(c.errno), thread: int32(c.thread)}
	switch {
	case c.kind == callRename || c.kind == callLink:
		op.path, op.path2 = joinDir(c.dir, c.path), joinDir(c.dir2, c.path2)
	case c.dir == "" || strings.HasPrefix(c.path, "/"):
	case c.dir == "/":
		op.path = "/" + c.path
	default:
		op.view = r.view(m, c.dir, index)
		if op.view == 0 {
			op.path = joinDir(c.dir, c.path)
		}
	}
	if c.kind == callSymlink {
		op.path2 = c.text
	}
	if c.kind == callOpen {
		op.flag = openFlag(c.flags)
		if c.flags.has(flagDirectory) && !strings.HasSuffix(op.path, "/") {
			op.path += "/" // O_DIRECTORY wherever this runs
		}
	}
	if c.errno != "" {
		op.failing(c)
	}
	return op
}

// failing prepares a call that failed. What failed for a reason that the replay
// does not have may not change anything, so it only looks up the path.
func (op *replayOp) failing(c *traceCall) {
	exists := false
	switch c.errno {
	case "ENOENT", "ENOTDIR", "EEXIST", "ENOTEMPTY":
		exists = c.kind == callRmdir && c.errno == "ENOTDIR" || c.kind == callRename && c.flags.has(flagExclusive)
		if !exists {
			return
		}
	case "EINVAL":
		if c.kind == callReadlink {
			return
		}
		exists = true
	case "EISDIR":
		if c.kind == callOpen {
			return
		}
		exists = c.kind == callUnlink
	case "EPERM":
		exists = c.kind == callUnlink
	case "EACCES", "EROFS", "ENODATA", "EOPNOTSUPP", "ENOTSUP", "ERANGE":
		exists = c.kind == callStat || c.kind == callLstat // access, getxattr
	}
	if follows(c) {
		op.kind = callStat
	} else {
		op.kind = callLstat
	}
	op.loose = !exists
	if exists {
		op.want = outcomeOK
	}
}

// view returns the number of the view whose working directory is dir; 0, the
// view of the root, if dir is not there at the beginning.
func (r *replay) view(m *traceTree, dir string, index map[string]int32) int32 {
	n := m.node(m.walk("/", dir, true))
	if n == nil || !n.atStart || n == m.root || n.kind != 'd' && n.kind != 0 {
		return 0
	}
	n.kind = 'd'
	if len(r.views) == 0 {
		r.views = append(r.views, "")
	}
	at := n.startPath()
	v, ok := index[at]
	if !ok {
		v = int32(len(r.views))
		index[at] = v
		r.views = append(r.views, at)
	}
	return v
}

func openFlag(f callFlags) int {
	flag := os.O_RDONLY
	switch {
	case f.has(flagReadWrite):
		flag = os.O_RDWR
	case f.has(flagWrite):
		flag = os.O_WRONLY
	}
	for _, b := range []struct {
		ours callFlags
		os   int
	}{{flagCreate, os.O_CREATE}, {flagExclusive, os.O_EXCL}, {flagTruncate, os.O_TRUNC}} {
		if f.has(b.ours) {
			flag |= b.os
		}
	}
	return flag
}

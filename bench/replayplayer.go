package bench

import (
	"fmt"
	"os"
	"time"

	"stagefs/memfs"
)

// player makes the calls of a replay on a file system.
type player struct {
	*replay
	fsys  *memfs.FS
	views []*memfs.FS
	stray bool // a call ended otherwise than in the trace, so anything may have changed
}

// newPlayer builds the tree of r in fsys, which is empty.
func newPlayer(r *replay, fsys *memfs.FS) (*player, error) {
	if err := build(fsys, r.root); err != nil {
		return nil, fmt.Errorf("the tree of trace %s: %w", r.name, err)
	}
	p := &player{replay: r, fsys: fsys}
	return p, p.enter()
}

// enter makes the views of the working directories.
func (p *player) enter() error {
	p.views = p.views[:0]
	for _, dir := range p.replay.views {
		v := p.fsys.As(p.fsys.Cred())
		if dir != "" {
			if err := v.Chdir(dir); err != nil {
				return err
			}
		}
		p.views = append(p.views, v)
	}
	if len(p.views) == 0 {
		p.views = append(p.views, p.fsys)
	}
	return nil
}

// reset undoes a replay, if it changes anything.
func (p *player) reset() error {
	if !p.changes && !p.stray {
		return nil
	}
	if err := restore(p.fsys, p.root, p.stray); err != nil {
		return fmt.Errorf("undoing trace %s: %w", p.name, err)
	}
	return p.enter()
}

// epoch is the time that utimensat sets.
var epoch = time.Unix(1_000_000_000, 0)

// do makes one call. Modes are 0777, so that nothing keeps the replay from what
// the trace may do; contents are none.
func (p *player) do(op *replayOp, st *memfs.Stat) error {
	v := p.views[op.view]
	switch op.kind {
	case callStat, callChdir:
		return v.StatInto(op.path, st)
	case callLstat:
		return v.LstatInto(op.path, st)
	case callOpen:
		f, err := v.OpenFile(op.path, op.flag, 0o777)
		if err != nil {
			return err
		}
		return f.Close()
	case callReadlink:
		_, err := v.Readlink(op.path)
		return err
	case callMkdir:
		return v.Mkdir(op.path, 0o777)
	case callUnlink, callRmdir:
		return v.Remove(op.path)
	case callRename:
		return v.Rename(op.path, op.path2)
	case callLink:
		return v.Link(op.path, op.path2)
	case callSymlink:
		return v.Symlink(op.path2, op.path)
	case callMknod:
		f, err := v.OpenFile(op.path, os.O_CREATE|os.O_EXCL, 0o777)
		if err != nil {
			return err
		}
		return f.Close()
	case callChmod:
		return v.Chmod(op.path, 0o777)
	case callChown:
		return v.Chown(op.path, -1, -1)
	case callLchown:
		return v.Lchown(op.path, -1, -1)
	case callTimes:
		return v.Chtimes(op.path, epoch, epoch)
	}
	return v.Truncate(op.path, 0)
}

// run makes the calls with the given numbers and returns how many failed.
func (p *player) run(order []int32) int {
	padded := new(struct {
		_  [cacheLine]byte
		st memfs.Stat
		_  [cacheLine]byte
	})
	failed := 0
	for _, i := range order {
		if p.do(&p.ops[i], &padded.st) != nil {
			failed++
		}
	}
	return failed
}

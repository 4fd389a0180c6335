package memfs_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// history is the sequence of states of a part of a tree that one goroutine alone changes, counted from 0.
type history struct{ begun, done atomic.Int64 }

// change makes the next state. What know does is over before anybody may rely on the state.
func (h *history) change(t *testing.T, call func(k int64) error, know func(k int64)) bool {
	k := h.begun.Add(1)
	err := call(k)
	if err != nil {
		t.Errorf("change %d: %v", k, err)
	}
	if know != nil {
		know(k)
	}
	h.done.Store(k)
	return err == nil
}

// sight is what a lookup has found: an inode, or why not.
type sight struct {
	ino uint64
	err syscall.Errno
}

func (s sight) String() string {
	if s.err != 0 {
		return s.err.Error()
	}
	return fmt.Sprintf("inode %d", s.ino)
}

// gone and shut are what a lookup says where there is nothing, or the way is closed.
var gone, shut = sight{err: syscall.ENOENT}, sight{err: syscall.EACCES}

// watched is one path as one view sees it. Which sights are legal depends on the state of one history or two: a lookup
// may see any state from the last one that was reached before it began to the last one that was begun when it ended.
type watched struct {
	what  string
	view  *memfs.FS
	path  string
	of    []*history
	legal func(s sight, k ...int64) bool

	// seen is the latest state of a single history that some lookup has already met: no later one may see an older one.
	// others are those of paths that are in that state, too, if this one is gone in it.
	seen   *atomic.Int64
	others []*atomic.Int64
}

// look makes one lookup and judges it.
func (w *watched) look(t *testing.T) {
	var from, to [2]int64
	for i, h := range w.of {
		from[i] = h.done.Load()
	}
	if w.seen != nil {
		from[0] = max(from[0], w.seen.Load())
	}
	s := w.ask()
	for i, h := range w.of {
		to[i] = h.begun.Load()
	}
	if (to[0]-from[0]+1)*(to[1]-from[1]+1) > 1000 {
		return // the lookup had no processor for long, and nearly anything is legal
	}
	for k := from[0]; k <= to[0]; k++ {
		for l := from[1]; l <= to[1]; l++ {
			if w.legal(s, k, l) {
				w.note(s, k)
				return
			}
		}
	}
	if t.Failed() {
		return // one is enough
	}
	t.Errorf("%s, %s: %v in states %v to %v", w.what, w.path, s, from[:max(len(w.of), 1)], to[:max(len(w.of), 1)])
}

func (w *watched) note(s sight, k int64) {
	if w.seen == nil {
		return
	}
	raise(w.seen, k)
	if s == gone {
		for _, other := range w.others {
			raise(other, k)
		}
	}
}

func raise(max *atomic.Int64, k int64) {
	for old := max.Load(); old < k && !max.CompareAndSwap(old, k); old = max.Load() {
	}
}

// ask looks the path up in one of several ways.
func (w *watched) ask() sight {
	var st memfs.Stat
	var err error
	switch rand.IntN(4) {
	case 0:
		var f *memfs.File
		if f, err = w.view.Open(w.path); err == nil {
			err = f.StatInto(&st)
			_ = f.Close()
		}
	case 1:
		err = w.view.LstatInto(w.path, &st)
	default:
		err = w.view.StatInto(w.path, &st)
	}
	if err != nil {
		return sight{err: errnoOf(err)}
	}
	return sight{ino: st.Ino}
}

// fixed is legal where nothing ever changes.
func fixed(ino uint64) func(sight, ...int64) bool {
	return func(s sight, _ ...int64) bool { return s == sight{ino: ino} }
}

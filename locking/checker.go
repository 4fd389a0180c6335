package locking

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// hold is one lock held by one goroutine.
type hold struct {
	rank         Rank
	major, minor uint64
	stack        [20]uintptr // callers of Acquired, innermost first
	depth        int         // used part of stack
}

func (h *hold) String() string {
	return fmt.Sprintf("%v(%d,%d)", h.rank, h.major, h.minor)
}

// allows tells whether a goroutine that holds h may take a lock of rank r at
// the place (major, minor).
func (h *hold) allows(r Rank, major, minor uint64) bool {
	if h.rank != r {
		return h.rank < r
	}
	if r.single() {
		return false
	}
	return h.major < major || h.major == major && h.minor < minor
}

// holds is what one goroutine holds, in the order taken, which is the lock
// order. Only that goroutine touches it.
type holds struct {
	list []hold
}

// shard is a part of the map from goroutine to holds. There are so many that
// the goroutines of a test hardly ever share a mutex: a shared one would order
// them and so hide races from the race detector.
type shard struct {
	mu   sync.Mutex
	held map[uint64]*holds // by goroutine; only those that hold something
	free []*holds          // emptied, for the next goroutine
}

var shards [1 << shardBits]shard

const shardBits = 10

// shardOf returns the shard of goroutine id, by Fibonacci hashing.
func shardOf(id uint64) *shard {
	return &shards[id*0x9e3779b97f4a7c15>>(64-shardBits)]
}

// acquired is Acquired in a build that checks.
func acquired(r Rank, major, minor uint64) {
	id := goroutine()
	mine := heldBy(id)
	want := hold{rank: r, major: major, minor: minor}
	want.depth = runtime.Callers(3, want.stack[:])
	for i := range mine.list {
		if !mine.list[i].allows(r, major, minor) {
			panic(inversion(&mine.list[i], &want))
		}
	}
	mine.list = append(mine.list, want)
}

// released is Released in a build that checks.
func released(r Rank, major, minor uint64) {
	id := goroutine()
	mine := lookup(id)
	if mine != nil {
		for i := len(mine.list) - 1; i >= 0; i-- {
			h := &mine.list[i]
			if h.rank != r || h.major != major || h.minor != minor {
				continue
			}
			mine.list = append(mine.list[:i], mine.list[i+1:]...)
			if len(mine.list) == 0 {
				forget(id, mine)
			}
			return
		}
	}
	panic(fmt.Sprintf("locking: released %v(%d,%d), which this goroutine does not hold; it holds %v",
		r, major, minor, held()))
}

// held is Held in a build that checks.
func held() []string {
	mine := lookup(goroutine())
	if mine == nil {
		return nil
	}
	var names []string
	for i := range mine.list {
		names = append(names, mine.list[i].String())
	}
	return names
}

// assertNone is AssertNone in a build that checks.
func assertNone() {
	mine := lookup(goroutine())
	if mine == nil {
		return
	}
	var b strings.Builder
	b.WriteString("locking: still held:\n")
	for i := range mine.list {
		mine.list[i].describe(&b, "taken")
	}
	panic(b.String())
}

// inversion describes a lock taken out of order.
func inversion(have, want *hold) string {
	var b strings.Builder
	fmt.Fprintf(&b, "locking: lock order inversion: %v wanted under %v\n", want, have)
	want.describe(&b, "wanted")
	have.describe(&b, "taken")
	return b.String()
}

// describe writes h and the calls that led to it.
func (h *hold) describe(b *strings.Builder, verb string) {
	fmt.Fprintf(b, "%v %s by:\n", h, verb)
	frames := runtime.CallersFrames(h.stack[:h.depth])
	for more := h.depth > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Fprintf(b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
	}
}

// heldBy returns what goroutine id holds, made if it held nothing.
func heldBy(id uint64) *holds {
	s := shardOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if mine := s.held[id]; mine != nil {
		return mine
	}
	if s.held == nil {
		s.held = make(map[uint64]*holds)
	}
	mine := &holds{}
	if n := len(s.free); n > 0 {
		mine, s.free = s.free[n-1], s.free[:n-1]
	}
	s.held[id] = mine
	return mine
}

// lookup returns what goroutine id holds, nil if nothing.
func lookup(id uint64) *holds {
	s := shardOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[id]
}

// forget takes goroutine id, which holds nothing more, out of the map.
func forget(id uint64, mine *holds) {
	s := shardOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
	if len(s.free) < 4 {
		s.free = append(s.free, mine)
	}
}

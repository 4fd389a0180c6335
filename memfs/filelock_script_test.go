package memfs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"stagefs/memfs"
)

// lockCall is one call of a script: what process Proc does with its descriptor FD.
type lockCall struct {
	Proc, FD int
	Op       string // flock, set, get, ofd, getofd, close
	How      int    // of flock
	Lock     memfs.Lock
	Wait     bool
}

func (c lockCall) String() string {
	switch c.Op {
	case "flock":
		return fmt.Sprintf("p%d.%d flock %d", c.Proc, c.FD, c.How)
	case "close":
		return fmt.Sprintf("p%d.%d close", c.Proc, c.FD)
	}
	return fmt.Sprintf("p%d.%d %s %d whence %d %d+%d pid %d, wait %v", c.Proc, c.FD, c.Op, c.Lock.Type, c.Lock.Whence,
		c.Lock.Start, c.Lock.Len, c.Lock.PID, c.Wait)
}

// lockDescriptors are what each process has open, by number: files of two inodes and a directory. The file x has 10 bytes
// and the position of its first descriptor is 4.
var lockDescriptors = []struct {
	name  string
	flags int
}{
	{"x", os.O_RDWR}, {"x", os.O_RDWR}, {"x", os.O_RDONLY}, {"x", os.O_WRONLY}, {"y", os.O_RDWR}, {"d", os.O_RDONLY},
}

// lockAnswer is what a call returned.
type lockAnswer struct {
	Errno int
	Lock  memfs.Lock
}

// lockWorld plays processes.
type lockWorld interface {
	begin(c lockCall)
	settle() map[int]lockAnswer // of the processes whose call is over; the others all wait for a lock
}

// playLocks plays a script and writes down what comes back. Calls of a process whose last call still waits are left out.
func playLocks(w lockWorld, script []lockCall) string {
	var out strings.Builder
	pending := map[int]lockCall{}
	for _, c := range script {
		if _, waits := pending[c.Proc]; waits {
			continue
		}
		pending[c.Proc] = c
		w.begin(c)
		answers := w.settle()
		fmt.Fprintf(&out, "%v:", c)
		if _, over := answers[c.Proc]; !over {
			out.WriteString(" waits")
		}
		for proc := range maxLockProcs {
			a, over := answers[proc]
			if !over {
				continue
			}
			fmt.Fprintf(&out, " p%d %s", proc, lockErrnoText(a.Errno))
			if strings.HasPrefix(pending[proc].Op, "get") && a.Errno == 0 {
				fmt.Fprintf(&out, " %+v", a.Lock)
			}
			delete(pending, proc)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func lockErrnoText(e int) string {
	if e == 0 {
		return "ok"
	}
	return syscall.Errno(e).Error()
}

const maxLockProcs = 14

// memWorld plays processes on a memfs, in a bubble of testing/synctest, which tells when all wait.
type memWorld struct {
	t       *testing.T
	ctx     context.Context
	files   [][]*memfs.File // by process and descriptor
	answers []chan lockAnswer
}

func newMemWorld(t *testing.T, ctx context.Context, fsys *memfs.FS, procs int) *memWorld {
	must(t, fsys.WriteFile("/x", []byte("0123456789"), 0o644))
	must(t, fsys.WriteFile("/y", nil, 0o644))
	must(t, fsys.Mkdir("/d", 0o755))
	w := &memWorld{t: t, ctx: ctx}
	for range procs {
		var files []*memfs.File
		for _, d := range lockDescriptors {
			files = append(files, got[*memfs.File](t)(fsys.OpenFile("/"+d.name, d.flags, 0)))
		}
		got[int64](t)(files[0].Seek(4, 0))
		w.files = append(w.files, files)
		w.answers = append(w.answers, make(chan lockAnswer, 1))
	}
	return w
}

func (w *memWorld) begin(c lockCall) { go func() { w.answers[c.Proc] <- w.call(c) }() }

func (w *memWorld) settle() map[int]lockAnswer {
	synctest.Wait()
	over := map[int]lockAnswer{}
	for proc, answers := range w.answers {
		select {
		case over[proc] = <-answers:
		default:
		}
	}
	return over
}

func (w *memWorld) call(c lockCall) (a lockAnswer) {
	f := w.files[c.Proc][c.FD]
	var err error
	switch c.Op {
	case "flock":
		err = f.Flock(w.ctx, memfs.FlockMode(c.How))
	case "set":
		c.Lock.PID = 1000 + c.Proc
		err = f.SetLock(w.ctx, c.Proc, c.Lock, c.Wait)
	case "get":
		a.Lock, err = f.GetLock(c.Proc, c.Lock)
	case "ofd":
		err = f.SetOFDLock(w.ctx, c.Lock, c.Wait)
	case "getofd":
		a.Lock, err = f.GetOFDLock(c.Lock)
	case "close":
		if err = f.ReleaseLocks(c.Proc); err == nil {
			err = f.Close()
		}
	}
	a.Errno = int(errnoOf(err))
	if errors.Is(err, os.ErrClosed) {
		a.Errno = int(syscall.EBADF)
	}
	return a
}

// memTranscript plays a script on a memfs. In the end those that wait are interrupted, and no lock may be left.
func memTranscript(t *testing.T, procs int, script []lockCall) (out string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		fsys := newFS()
		w := newMemWorld(t, ctx, fsys, procs)
		out = playLocks(w, script)
		cancel()
		for _, a := range w.settle() {
			if a.Errno != int(syscall.EINTR) {
				t.Errorf("a wait that was interrupted: %v", syscall.Errno(a.Errno))
			}
		}
		for _, files := range w.files {
			for _, f := range files {
				_ = f.Close()
			}
		}
		check(t, fsys)
	})
	return out
}

// parseLocks reads a script: calls with a semicolon or a line's end between them, each the numbers of process and
// descriptor, what to call, and the lock with its type (r, w or u), first byte and length; "setw" and "ofdw" wait.
func parseLocks(text string) (script []lockCall) {
	for _, call := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		var c lockCall
		var kind string
		n, _ := fmt.Sscanf(call, "%d.%d %s", &c.Proc, &c.FD, &c.Op)
		rest := call[strings.Index(call, c.Op)+len(c.Op):]
		switch c.Op {
		case "close":
			n++
		case "flock":
			n, _ = fmt.Sscanf(rest, "%d", &c.How)
			n += 3
		default:
			n, _ = fmt.Sscanf(rest, " %1s %d+%d", &kind, &c.Lock.Start, &c.Lock.Len)
			n++
			c.Lock.Type = memfs.LockType(strings.Index("rwu", kind))
			c.Wait = strings.HasSuffix(c.Op, "w")
			c.Op = strings.TrimSuffix(c.Op, "w")
		}
		if n != 4 {
			panic("not a call: " + call)
		}
		script = append(script, c)
	}
	return script
}

// readOf, writeOf and unlockOf are locks on n bytes from at on.
func readOf(at, n int64) memfs.Lock   { return memfs.Lock{Type: memfs.ReadLock, Start: at, Len: n} }
func writeOf(at, n int64) memfs.Lock  { return memfs.Lock{Type: memfs.WriteLock, Start: at, Len: n} }
func unlockOf(at, n int64) memfs.Lock { return memfs.Lock{Type: memfs.NoLock, Start: at, Len: n} }

// recordCall is the call of process proc by its descriptor fd.
func recordCall(op string, proc, fd int, l memfs.Lock) lockCall {
	return lockCall{Proc: proc, FD: fd, Op: op, Lock: l}
}

// lockScripts are the scripts with a subject.
func lockScripts() map[string][]lockCall {
	return map[string][]lockCall{
		"split and merge": parseLocks(`
			0.0 set w 10+30; 0.0 set u 20+10; 1.0 get w 0+0; 1.0 get w 20+0; 1.0 get w 20+10
			0.0 set w 20+10; 1.0 get r 35+1; 0.0 set r 15+5; 1.0 get r 15+0; 1.0 get w 17+1
			1.0 set r 15+5; 1.0 set w 15+5; 0.0 set w 15+5; 1.0 set u 0+0; 0.0 set w 40+5
			1.0 get w 0+0; 0.0 set w 0+0; 1.0 get w 0+0; 0.0 set u 9223372036854775807+1; 1.0 get w 5+0`),
		"order of owners": parseLocks(`
			2.0 set r 50+1; 1.0 set r 0+100; 0.0 set r 0+0; 3.0 get w 0+0; 2.0 set u 0+0
			3.0 get w 0+0; 2.0 set r 0+1; 1.0 set u 0+0; 3.0 get w 0+0; 2.0 get w 0+0`),
		"close gives up": parseLocks(`
			0.0 set w 0+10; 0.1 ofd w 20+1; 0.1 flock 2; 0.2 close; 1.0 get w 0+1; 1.0 get w 0+0
			1.0 flock 5; 0.1 close; 1.0 get w 0+0; 1.0 flock 5; 0.1 close
			0.0 setw w 0+1; 1.0 setw w 0+1; 0.4 close; 0.0 close`),
		"kinds": parseLocks(`
			0.0 set w 0+0; 1.0 flock 2; 0.0 flock 5; 0.0 ofd r 0+1; 1.0 ofd r 0+1; 0.0 set u 0+0
			1.1 ofd r 3+4; 1.0 get w 0+0; 1.0 getofd w 0+0; 1.1 getofd u 0+0; 1.1 getofd u 0+3
			1.0 getofd u 0+0; 1.1 getofd w 0+0; 1.1 set w 3+1; 1.1 ofd w 3+4; 1.0 ofd r 6+1`),
		"flock converts": parseLocks(`
			0.0 flock 1; 1.0 flock 1; 0.0 flock 6; 1.0 flock 6; 0.0 flock 5; 1.0 flock 8
			0.0 flock 1; 1.0 flock 1; 0.0 flock 2; 2.0 flock 5; 1.0 flock 2; 0.0 flock 8; 1.0 flock 8`),
		"flock modes": parseLocks(`
			0.0 flock 0; 0.0 flock 3; 0.0 flock 4; 0.0 flock 7; 0.0 flock 9; 0.0 flock 12; 0.0 flock 16
			0.0 flock 32; 0.0 flock 33; 0.0 flock 64; 0.0 flock -1; 0.0 flock 1025; 0.5 flock 2
			1.5 flock 5; 0.3 flock 1; 0.2 flock 6; 0.3 flock 8; 0.2 flock 6`),
		"access modes": parseLocks(`
			0.2 set r 0+0; 0.2 set w 0+0; 0.3 set r 0+0; 0.3 set w 0+0; 0.2 set u 0+0
			0.2 ofd w 0+0; 0.3 ofd r 0+0; 0.5 set r 0+0; 0.5 set w 0+0; 1.5 get w 0+0
			1.2 get w 0+0; 1.3 get r 0+0`),
		"bad ranges":  badLockRanges(),
		"deadlock":    lockCircle(2, "set"),
		"circle of 3": lockCircle(3, "set"),
		// The kernel gives up after so many steps.
		"circle of 12": lockCircle(12, "set"), "circle of 13": lockCircle(13, "set"),
		"circle of OFD locks": lockCircle(3, "ofd"),
		"OFD in a circle": parseLocks(`
			0.4 set w 0+1; 1.0 ofd w 0+1; 1.4 ofdw w 0+1; 0.0 setw w 0+1; 0.4 close`),
		"OFD waits for POSIX": parseLocks(`
			0.0 set w 0+1; 1.0 ofd w 5+1; 1.0 ofdw w 0+1; 0.0 setw w 5+1; 0.0 set u 0+0`),
		"waiting for a part": parseLocks(`
			0.0 set w 0+10; 1.0 setw w 5+10; 2.0 set r 12+1; 0.0 set u 5+5; 2.0 set u 0+0
			0.0 get w 0+0; 1.0 set r 5+10; 0.0 setw w 0+6; 1.0 set u 5+1; 2.0 get w 0+0`),
		"what is in the way changes": parseLocks(`
			0.0 set r 0+5; 1.0 setw w 0+0; 0.0 set w 0+5; 2.0 get r 0+0; 0.0 set r 3+9; 0.0 set u 0+4; 0.0 set u 4+0
			1.0 set u 0+0; 0.0 set w 0+2; 0.0 set w 4+2; 1.0 setw w 4+1; 0.0 set w 2+2; 0.0 set r 0+3; 2.0 setw w 3+1
			0.0 set u 3+0; 0.0 setw r 4+1; 1.0 set u 0+0; 0.0 get r 0+0; 2.0 get w 0+0`),
		"readers together": parseLocks(`
			0.0 set w 0+0; 1.0 setw r 0+5; 2.0 setw r 0+5; 3.0 setw r 8+0; 0.0 set r 0+6
			0.0 set u 0+0; 0.0 get w 7+0; 1.0 get w 0+5; 2.0 get w 0+5`),
	}
}

// badLockRanges are ranges at the ends of what 64 bits hold, with each whence.
func badLockRanges() (script []lockCall) {
	for whence := -1; whence <= 3; whence++ {
		for _, at := range [][2]int64{
			{0, -1}, {5, -5}, {5, -6}, {-1, 1}, {-4, 1}, {-5, 0}, {-10, 3}, {-11, 3}, {math.MaxInt64, 1}, {math.MaxInt64, 2},
			{math.MaxInt64, 0}, {1, math.MaxInt64}, {2, math.MaxInt64}, {0, math.MaxInt64}, {0, math.MinInt64},
			{math.MaxInt64, math.MinInt64}, {math.MaxInt64, -math.MaxInt64}, {math.MinInt64, 0}, {math.MinInt64, math.MinInt64},
			{math.MaxInt64 - 10, 1}, {math.MaxInt64 - 4, 2}, {math.MaxInt64 - 9, -3},
		} {
			l := memfs.Lock{Type: memfs.WriteLock, Whence: whence, Start: at[0], Len: at[1]}
			script = append(script, recordCall("set", 0, 0, l), recordCall("get", 1, 0, writeOf(0, 0)),
				recordCall("set", 0, 0, unlockOf(0, 0)), recordCall("ofd", 0, 2, l))
			script = append(script, eachCall(l)[1:]...)
		}
	}
	for _, kind := range []memfs.LockType{-1, memfs.NoLock, 3, 32767} {
		script = append(script, eachCall(memfs.Lock{Type: kind, Start: 3})...)
		script = append(script, eachCall(memfs.Lock{Type: kind, Start: -1, PID: 5})...)
		script = append(script, eachCall(memfs.Lock{Type: kind, Start: math.MaxInt64, Len: 2, PID: 5})...)
	}
	for fd := range lockDescriptors {
		l := memfs.Lock{Type: memfs.WriteLock, PID: 5}
		script = append(script, recordCall("ofd", 0, fd, l), recordCall("getofd", 0, fd, l), recordCall("get", 0, fd, l))
	}
	return script
}

// eachCall makes all calls with one lock.
func eachCall(l memfs.Lock) []lockCall {
	return []lockCall{recordCall("set", 0, 0, l), recordCall("get", 0, 0, l), recordCall("ofd", 0, 0, l),
		recordCall("getofd", 0, 0, l)}
}

// lockCircle makes each of n owners hold a byte and wait for the next one's.
func lockCircle(n int, op string) (script []lockCall) {
	for i := range n {
		script = append(script, recordCall(op, i, 0, writeOf(int64(i), 1)))
	}
	for i := range n {
		c := recordCall(op, i, 0, writeOf(int64((i+1)%n), 1))
		c.Wait = true
		script = append(script, c)
	}
	return append(script, recordCall(op, n-1, 0, unlockOf(0, 0)))
}

// randomLocks is a script of n calls by some processes, of which the first waiters may wait. Where only one may, all that
// happens is determined.
func randomLocks(r *rand.Rand, n, procs, waiters int) (script []lockCall) {
	const bytes = 12
	for range n {
		c := lockCall{Proc: r.IntN(procs), FD: r.IntN(2)}
		if r.IntN(5) == 0 {
			c.FD = 4
		}
		c.Lock = memfs.Lock{Type: memfs.LockType(r.IntN(3)), Start: r.Int64N(bytes), Len: r.Int64N(bytes / 2)}
		switch r.IntN(8) {
		case 0:
			c.Op, c.How = "flock", []int{1 | 4, 2 | 4, 8}[r.IntN(3)]
		case 1, 2:
			c.Op = "get"
		case 3:
			c.Op = "getofd"
		case 4:
			c.Op = "ofd"
		default:
			c.Op = "set"
		}
		if c.Proc < waiters && (c.Op == "set" || c.Op == "ofd") {
			c.Wait = r.IntN(2) == 0
		}
		script = append(script, c)
	}
	return script
}

// TestLocksWaitRandom plays random calls of which many wait: with the tag invariants, nobody may wait for nothing.
func TestLocksWaitRandom(t *testing.T) {
	r := seeded(t)
	for range 3 {
		out := memTranscript(t, 6, randomLocks(r, rounds(2000), 6, 6))
		if !strings.Contains(out, "waits") {
			t.Error("nobody has waited")
		}
	}
}

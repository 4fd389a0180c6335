package memfs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stagefs/internal/need"
	"stagefs/memfs"
)

// The kernel's side of the lock scripts: each process is a child, this test binary again, that makes the calls which it
// reads from its standard input.
const lockChildEnv = "STAGEFS_LOCK_CHILD" // the directory of the files

func init() {
	dir := os.Getenv(lockChildEnv)
	if dir == "" {
		return
	}
	if err := lockChild(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func lockChild(dir string) error {
	var fds []int
	for _, d := range lockDescriptors {
		fd, err := unix.Open(filepath.Join(dir, d.name), d.flags|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		fds = append(fds, fd)
	}
	if _, err := unix.Seek(fds[0], 4, io.SeekStart); err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c lockCall
		if err := in.Decode(&c); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := out.Encode(kernelLock(fds[c.FD], c)); err != nil {
			return err
		}
	}
}

func kernelLock(fd int, c lockCall) (a lockAnswer) {
	k := unix.Flock_t{Type: int16(c.Lock.Type), Whence: int16(c.Lock.Whence), Start: c.Lock.Start, Len: c.Lock.Len,
		Pid: int32(c.Lock.PID)}
	var err error
	switch {
	case c.Op == "flock":
		err = unix.Flock(fd, c.How)
	case c.Op == "close":
		err = unix.Close(fd)
	default:
		cmd := map[string]int{"set": unix.F_SETLK, "get": unix.F_GETLK, "ofd": unix.F_OFD_SETLK, "getofd": unix.F_OFD_GETLK}[c.Op]
		if c.Wait {
			cmd = map[string]int{"set": unix.F_SETLKW, "ofd": unix.F_OFD_SETLKW}[c.Op]
		}
		err = unix.FcntlFlock(uintptr(fd), cmd, &k)
	}
	a.Errno = int(errnoOf(err))
	a.Lock = memfs.Lock{Type: memfs.LockType(k.Type), Whence: int(k.Whence), Start: k.Start, Len: k.Len, PID: int(k.Pid)}
	return a
}

// kernelWorld plays processes on the kernel's tmpfs.
type kernelWorld struct {
	t       *testing.T
	procs   []*kernelProc
	inodes  []string     // ":number " of the files, as /proc/locks has them
	pending map[int]bool // calls under way; true if they may wait
}

type kernelProc struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	calls   *json.Encoder
	answers chan lockAnswer
}

func newKernelWorld(t *testing.T, procs int) *kernelWorld {
	t.Helper()
	var shm unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &shm); err != nil || int64(shm.Type) != unix.TMPFS_MAGIC {
		need.Missing(t, "a tmpfs at /dev/shm")
	}
	dir := got[string](t)(os.MkdirTemp("/dev/shm", "locks"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	w := &kernelWorld{t: t, pending: map[int]bool{}}
	must(t, os.WriteFile(filepath.Join(dir, "x"), []byte("0123456789"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "y"), nil, 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	for _, name := range []string{"x", "y", "d"} {
		var st unix.Stat_t
		must(t, unix.Stat(filepath.Join(dir, name), &st))
		w.inodes = append(w.inodes, fmt.Sprintf("%02x:%02x:%d ", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino))
	}
	for range procs {
		w.procs = append(w.procs, newKernelProc(t, dir))
	}
	return w
}

func newKernelProc(t *testing.T, dir string) *kernelProc {
	t.Helper()
	p := &kernelProc{cmd: exec.Command(got[string](t)(os.Executable())), answers: make(chan lockAnswer, 1)}
	p.cmd.Env = append(os.Environ(), lockChildEnv+"="+dir)
	p.cmd.Stderr = os.Stderr
	p.in = got[io.WriteCloser](t)(p.cmd.StdinPipe())
	out := got[io.ReadCloser](t)(p.cmd.StdoutPipe())
	p.calls = json.NewEncoder(p.in)
	must(t, p.cmd.Start())
	go func() {
		defer close(p.answers)
		for d := json.NewDecoder(out); ; {
			var a lockAnswer
			if d.Decode(&a) != nil {
				return
			}
			p.answers <- a
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may wait for a lock
		for range p.answers {
			continue
		}
		_ = p.cmd.Wait()
	})
	return p
}

func (w *kernelWorld) begin(c lockCall) {
	must(w.t, w.procs[c.Proc].calls.Encode(c))
	w.pending[c.Proc] = c.Wait || c.Op == "flock" && c.How&int(memfs.LockNonblock) == 0
}

// settle waits until the calls are over or listed among those that the kernel keeps waiting.
func (w *kernelWorld) settle() map[int]lockAnswer {
	over := map[int]lockAnswer{}
	for start := time.Now(); ; runtime.Gosched() {
		for proc := range w.pending {
			select {
			case a, alive := <-w.procs[proc].answers:
				if !alive {
					w.t.Fatalf("process %d has died", proc)
				}
				over[proc] = w.translate(a)
				delete(w.pending, proc)
			default:
			}
		}
		if w.mayWait() && len(w.pending) == w.waiting() && len(w.pending) == w.waiting() {
			return over
		}
		if time.Since(start) > time.Minute {
			w.t.Fatalf("%d calls under way, %d wait", len(w.pending), w.waiting())
		}
	}
}

// mayWait reports whether all calls under way may wait: the others are going to be over soon.
func (w *kernelWorld) mayWait() bool {
	for _, may := range w.pending {
		if !may {
			return false
		}
	}
	return true
}

// waiting counts the requests for locks on the files that wait.
func (w *kernelWorld) waiting() (n int) {
	if len(w.pending) == 0 {
		return 0
	}
	for line := range strings.Lines(string(got[[]byte](w.t)(os.ReadFile("/proc/locks")))) {
		for _, ino := range w.inodes {
			if strings.Contains(line, "->") && strings.Contains(line, " "+ino) {
				n++
			}
		}
	}
	return n
}

// translate puts the number of a process in place of its id.
func (w *kernelWorld) translate(a lockAnswer) lockAnswer {
	for i, p := range w.procs {
		if a.Lock.PID == p.cmd.Process.Pid {
			a.Lock.PID = 1000 + i
		}
	}
	return a
}

// TestLocksAsKernel plays each script with processes on the kernel's tmpfs and on a memfs.
func TestLocksAsKernel(t *testing.T) {
	for name, script := range lockScripts() {
		t.Run(name, func(t *testing.T) { compareLocks(t, script) })
	}
}

func TestLocksAsKernelRandom(t *testing.T) {
	r := seeded(t)
	for range 4 {
		compareLocks(t, randomLocks(r, rounds(1000), 3, 1))
	}
}

func compareLocks(t *testing.T, script []lockCall) {
	t.Helper()
	procs := 2
	for _, c := range script {
		procs = max(procs, c.Proc+1)
	}
	want := strings.Split(playLocks(newKernelWorld(t, procs), script), "\n")
	have := strings.Split(memTranscript(t, procs, script), "\n")
	for i := range min(len(want), len(have)) {
		if want[i] != have[i] {
			t.Fatalf("line %d\nkernel: %s\nmemfs:  %s\nbefore:\n%s", i, want[i], have[i],
				strings.Join(want[max(0, i-20):i], "\n"))
		}
	}
	if len(want) != len(have) {
		t.Errorf("%d lines of the kernel, %d of memfs", len(want), len(have))
	}
	if testing.Verbose() && len(script) < 40 {
		t.Log("\n" + strings.Join(want, "\n"))
	}
}

// The values of the constants are the kernel's.
func TestLockConstants(t *testing.T) {
	for _, c := range [][2]int{
		{int(memfs.ReadLock), unix.F_RDLCK}, {int(memfs.WriteLock), unix.F_WRLCK}, {int(memfs.NoLock), unix.F_UNLCK},
		{int(memfs.LockShared), unix.LOCK_SH}, {int(memfs.LockExclusive), unix.LOCK_EX},
		{int(memfs.LockNonblock), unix.LOCK_NB}, {int(memfs.LockUnlock), unix.LOCK_UN},
	} {
		if c[0] != c[1] {
			t.Errorf("%d, the kernel has %d", c[0], c[1])
		}
	}
}

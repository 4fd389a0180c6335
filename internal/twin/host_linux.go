package twin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Host is the world of the kernel: fresh directories below a directory. It
// runs one case at a time.
type Host struct {
	dir    string
	chroot bool
	mount  string // options of a tmpfs mounted for each system; none if empty
	probe  int    // a file that Tick changes, while a case runs
}

// NewHost returns a world that makes its systems below dir.
//
// With the right to do so, each system is the root directory of the thread
// that uses it. Without, only the working directory is set: the cases must
// then use relative paths and stay below.
func NewHost(dir string) *Host {
	return &Host{dir: dir, chroot: os.Geteuid() == 0}
}

// NewLimitedHost returns a world for root whose systems are each a tmpfs of
// its own, with room for so many bytes and inodes. They are mounted below dir,
// where only the thread that uses them sees them.
func NewLimitedHost(dir string, bytes, inodes int64) *Host {
	h := NewHost(dir)
	h.mount = fmt.Sprintf("mode=0755,size=%d,nr_inodes=%d", bytes, inodes)
	return h
}

// Enter implements [World]. It uses up an operating system thread, because
// the state that it changes (root, working directory, umask, credentials)
// cannot be given back in all cases.
func (h *Host) Enter(f func(fresh func() System)) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		done <- h.onThread(f)
	}()
	return <-done
}

func (h *Host) onThread(f func(fresh func() System)) (err error) {
	if err := h.unshare(); err != nil {
		return err
	}
	syscall.Umask(0o022)
	base, err := os.MkdirTemp(h.dir, "twin")
	if err != nil {
		return err
	}
	outer, err := unix.Open(base, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(outer)
	home, err := unix.Open("/", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(home)
	h.probe, err = unix.Openat(outer, "probe", unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(h.probe)
	n := 0
	defer func() {
		if err == nil {
			err = h.leave(home, base, n)
		}
	}()
	f(func() System {
		n++
		name := strconv.Itoa(n)
		if err := h.fresh(outer, name); err != nil {
			panic(setupError{fmt.Errorf("fresh directory: %w", err)})
		}
		return hostSystem{}
	})
	return nil
}

// unshare makes root and working directory, umask and, where it is to mount
// file systems, the mounts the thread's own.
func (h *Host) unshare() error {
	if h.mount == "" {
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		return nil
	}
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare mounts: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	return nil
}

// fresh makes directory name in outer and goes there.
func (h *Host) fresh(outer int, name string) error {
	if err := h.enterDir(outer, "."); err != nil {
		return err
	}
	if err := unix.Mkdir(name, 0o755); err != nil {
		return err
	}
	if h.mount != "" {
		if err := unix.Mount("tmpfs", name, "tmpfs", unix.MS_RELATIME, h.mount); err != nil {
			return fmt.Errorf("mount: %w", err)
		}
	}
	return h.enterDir(outer, name)
}

// leave goes back to the directory home and removes the n systems in base.
func (h *Host) leave(home int, base string, n int) error {
	if err := h.enterDir(home, "."); err != nil {
		return err
	}
	for i := 1; i <= n && h.mount != ""; i++ {
		if err := unix.Unmount(filepath.Join(base, strconv.Itoa(i)), unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount: %w", err)
		}
	}
	if os.RemoveAll(base) == nil {
		return nil
	}
	// An ordinary user has to open the directories that a case has closed.
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(base)
}

// enterDir makes name, below the open directory dir, the working directory
// and, if allowed, the root directory of the thread.
func (h *Host) enterDir(dir int, name string) error {
	if err := unix.Fchdir(dir); err != nil {
		return err
	}
	if err := unix.Chdir(name); err != nil {
		return err
	}
	if !h.chroot {
		return nil
	}
	return unix.Chroot(".")
}

// Tick implements [World]: it changes a file until that shows. Where the
// kernel has no fine times, this takes up to a timer tick.
func (h *Host) Tick() {
	var before, now unix.Stat_t
	touch := func(st *unix.Stat_t) {
		if err := unix.Fchmod(h.probe, 0o600); err != nil {
			panic(setupError{fmt.Errorf("probe: %w", err)})
		}
		if err := unix.Fstat(h.probe, st); err != nil {
			panic(setupError{fmt.Errorf("probe: %w", err)})
		}
	}
	for touch(&before); ; {
		if touch(&now); now.Ctim != before.Ctim {
			return
		}
	}
}

// As implements [World] by the credentials of the thread.
func (h *Host) As(sys System, tree Tree, c Cred) (System, Tree, func()) {
	if err := setThreadCred(c); err != nil {
		panic(setupError{fmt.Errorf("credentials %v: %w", c, err)})
	}
	return sys, tree, func() {
		if err := resetThreadCred(); err != nil {
			panic(setupError{fmt.Errorf("credentials back: %w", err)})
		}
	}
}

// setThreadCred makes c the effective credentials of the thread. The real
// and saved user stay root, so that it can be taken back. The calls are made
// raw, because those of package syscall are for all threads of the process.
func setThreadCred(c Cred) error {
	if err := setgroups(c.Groups); err != nil {
		return err
	}
	return setEffective(c.UID, c.GID)
}

func resetThreadCred() error {
	if err := setEffective(0, 0); err != nil {
		return err
	}
	return setgroups(nil)
}

func setEffective(uid, gid uint32) error {
	const same = ^uintptr(0)
	// Root changes the group before it loses the right to do so, and gets
	// the right back before it changes it again.
	user := func() error {
		if _, _, e := unix.RawSyscall(sysSetresuid, same, uintptr(uid), same); e != 0 {
			return fmt.Errorf("setresuid: %w", e)
		}
		return nil
	}
	group := func() error {
		if _, _, e := unix.RawSyscall(sysSetresgid, same, uintptr(gid), same); e != 0 {
			return fmt.Errorf("setresgid: %w", e)
		}
		return nil
	}
	first, second := group, user
	if uid == 0 {
		first, second = user, group
	}
	if err := first(); err != nil {
		return err
	}
	return second()
}

func setgroups(groups []uint32) error {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	_, _, e := unix.RawSyscall(sysSetgroups, uintptr(len(groups)), uintptr(first), 0)
	if e != 0 {
		return fmt.Errorf("setgroups: %w", e)
	}
	return nil
}

// hostSystem calls package os.
type hostSystem struct{ hostOnly }

// hostOnly has the functions that need no change of their result.
type hostOnly struct{}

func (hostOnly) Truncate(name string, size int64) error        { return os.Truncate(name, size) }
func (hostOnly) ReadDir(name string) ([]fs.DirEntry, error)    { return os.ReadDir(name) }
func (hostOnly) MkdirTemp(dir, pattern string) (string, error) { return os.MkdirTemp(dir, pattern) }
func (hostOnly) CopyFS(dir string, fsys fs.FS) error           { return os.CopyFS(dir, fsys) }
func (hostOnly) Chdir(dir string) error                        { return os.Chdir(dir) }
func (hostOnly) Getwd() (string, error)                        { return os.Getwd() }
func (hostOnly) SameFile(a, b fs.FileInfo) bool                { return os.SameFile(a, b) }
func (hostOnly) DirFS(dir string) fs.FS                        { return os.DirFS(dir) }
func (hostOnly) Usage() (Usage, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(".", &st); err != nil {
		return Usage{}, err
	}
	return Usage{
		BlockSize: int64(st.Bsize), Blocks: int64(st.Blocks), BlocksFree: int64(st.Bfree),
		Inodes: int64(st.Files), InodesFree: int64(st.Ffree), NameMax: int64(st.Namelen),
	}, nil
}
func (hostOnly) CreateTemp(dir, pattern string) (File, error) {
	return hostFile(os.CreateTemp(dir, pattern))
}

// hostFile keeps a nil file nil when it becomes an interface.
func hostFile(f *os.File, err error) (File, error) {
	if f == nil {
		return nil, err
	}
	return f, err
}

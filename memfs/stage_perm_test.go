package memfs_test

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"stagefs/locking"
	"stagefs/memfs"
	"stagefs/stage"
)

// permUsers are all kinds of users that a mode tells apart, with the place of their bits.
var permUsers = []struct {
	name  string
	cred  memfs.Cred
	shift int
}{
	{"owner", alice, 6}, {"group", memfs.Cred{Uid: 1003, Gid: 2000}, 3}, {"supplementary group", bob, 3}, {"other", carol, 0},
	{"root", root, -1},
}

// permDepth is how many directories are on the way of the table's path.
const permDepth = 8

// permTree is the path of the table in one file system, with the views that look it up.
type permTree struct {
	fsys  *memfs.FS
	views [][permDepth + 1]permView // of each user, from each directory on the way
}

type permView struct{ cwd, root *memfs.FS }

func newPermTree(t *testing.T, options ...memfs.Option) *permTree {
	t.Helper()
	tree := &permTree{fsys: newFS(append(options, memfs.WithUmask(0), memfs.WithRootMode(0o777))...)}
	must(t, tree.fsys.MkdirAll(permPath(0, permDepth), 0o777))
	must(t, tree.fsys.WriteFile(permPath(0, permDepth)+"/f", nil, 0o666))
	for depth := range permDepth + 1 {
		must(t, tree.fsys.Chown(permPath(0, depth), int(alice.Uid), 2000))
	}
	for _, u := range permUsers {
		var views [permDepth + 1]permView
		for depth := range views {
			v := at(t, tree.fsys, u.cred, permPath(0, depth))
			views[depth] = permView{v, got[*memfs.FS](t)(v.OpenRoot("."))}
		}
		tree.views = append(tree.views, views)
	}
	return tree
}

// permPath is the path from one directory on the way to another; absolute from the root on.
func permPath(from, to int) string {
	var names []string
	for i := from + 1; i <= to; i++ {
		names = append(names, fmt.Sprintf("dir%d", i))
	}
	switch path := strings.Join(names, "/"); {
	case from == 0:
		return "/" + path
	case path == "":
		return "."
	default:
		return path
	}
}

// TestStagePermissions closes each directory on the way to a file, or some neighbours, to each kind of user. EACCES must
// come where it does without a stage: from the directory where the path begins on.
func TestStagePermissions(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		plain := newPermTree(t, memfs.WithoutStage())
		staged := newPermTree(t, memfs.WithStage(stage.Config{Sample: 1, Threshold: -1, Period: 1 << 50, Pool: kind}))
		pool := func() { must(t, staged.fsys.Promote(permPath(0, permDepth))) }
		denied := 0
		modes := []fs.FileMode{0, 0o711, 0o070, 0o700, 0o007, 0o750, 0o733, 0o666}
		step := 1
		if testing.Short() || raceEnabled || locking.Checking { // nothing happens at the same time
			modes, step = modes[:3], 4
		}
		try := func(first, last int, mode fs.FileMode) {
			pool()
			permChmod(t, plain, staged, first, last, mode)
			denied += permCompare(t, plain, staged, last, mode, first) // the pivot ends at what was closed first
			pool()
			denied += permCompare(t, plain, staged, last, mode, permDepth)
			permChmod(t, plain, staged, first, last, 0o777)
		}
		for closed := 0; closed <= permDepth && !t.Failed(); closed += step {
			for _, mode := range modes {
				try(closed, closed, mode)
				try(closed, min(closed+2, permDepth), mode)
			}
		}
		if st := staged.fsys.Stage().Stats(); denied == 0 || st.Hits == 0 || st.Invalidations == 0 {
			t.Errorf("%d times denied, %+v", denied, st)
		}
		check(t, staged.fsys)
	})
}

// permChmod sets the mode of the directories from first to last.
func permChmod(t *testing.T, plain, staged *permTree, first, last int, mode fs.FileMode) {
	t.Helper()
	for depth := first; depth <= last; depth++ {
		must(t, plain.fsys.Chmod(permPath(0, depth), mode))
		must(t, staged.fsys.Chmod(permPath(0, depth), mode))
	}
}

// permCompare makes the calls of all users from all directories, and returns how many were denied. closed is the last
// closed directory, skip how deep a walk may begin.
func permCompare(t *testing.T, plain, staged *permTree, closed int, mode fs.FileMode, skip int) (denied int) {
	t.Helper()
	for i, u := range permUsers {
		may := func(want fs.FileMode) bool { return u.shift < 0 || mode>>u.shift&want == want }
		for from := range permDepth + 1 {
			what := fmt.Sprintf("%s, mode %o of directory %d, from %d", u.name, mode, closed, from)
			there := closed >= from
			shut := there && !may(1)
			a, b := plain.views[i][from], staged.views[i][from]
			before := b.cwd.Stage().Stats().Skipped
			path := permPath(from, permDepth) + "/f"
			if !permStat(t, what, a.cwd, b.cwd, path, shut) {
				denied++
			} else if got := int(b.cwd.Stage().Stats().Skipped - before); got != 2*max(0, skip-from) {
				t.Errorf("%s: %d components skipped in two lookups, want %d each", what, got, max(0, skip-from))
			}
			if from == 0 || from == closed || from == closed+1 || from == permDepth {
				permChange(t, what, a.cwd, b.cwd, from, shut || there && closed == permDepth && !may(3))
			}
			// os.Root opens what is on the way, but for the root itself
			permStat(t, what+", confined", a.root, b.root, strings.TrimPrefix(path, "/"), shut || closed > from && !may(5))
		}
	}
	return denied
}

// permStat looks the file up twice, and reports whether it was found.
func permStat(t *testing.T, what string, plain, staged *memfs.FS, path string, shut bool) bool {
	t.Helper()
	var a, b memfs.Stat
	errA, errB := plain.StatInto(path, &a), staged.StatInto(path, &b)
	if a.Ino != b.Ino || stageErr(errA) != stageErr(errB) || (errnoOf(errB) == syscall.EACCES) != shut || !shut && errB != nil {
		t.Errorf("%s: stat of %s: plain %d %v, staged %d %v, shut %v", what, path, a.Ino, errA, b.Ino, errB, shut)
	}
	f, errA := plain.Open(path)
	g, errB2 := staged.Open(path)
	_, _ = f.Close(), g.Close() // of nil, too
	if stageErr(errA) != stageErr(errB2) || (errB2 == nil) != (errB == nil) {
		t.Errorf("%s: open of %s: plain %v, staged %v, stat %v", what, path, errA, errB2, errB)
	}
	return errB == nil
}

// permChange makes a file, a directory, and moves the file away, and takes each back if it could.
func permChange(t *testing.T, what string, plain, staged *memfs.FS, from int, shut bool) {
	t.Helper()
	dir := permPath(from, permDepth)
	for _, c := range []struct {
		name     string
		do, undo func(v *memfs.FS) error
	}{
		{"create", func(v *memfs.FS) error { return v.WriteFile(dir+"/new", nil, 0o666) },
			func(v *memfs.FS) error { return v.Remove(dir + "/new") }},
		{"rename", func(v *memfs.FS) error { return v.Rename(dir+"/f", dir+"/g") },
			func(v *memfs.FS) error { return v.Rename(dir+"/g", dir+"/f") }},
		{"mkdir", func(v *memfs.FS) error { return v.Mkdir(dir+"/d", 0o777) },
			func(v *memfs.FS) error { return v.Remove(dir + "/d") }},
	} {
		errA, errB := c.do(plain), c.do(staged)
		if stageErr(errA) != stageErr(errB) || (errnoOf(errB) == syscall.EACCES) != shut || !shut && errB != nil {
			t.Errorf("%s: %s: plain %v, staged %v, shut %v", what, c.name, errA, errB, shut)
		}
		if errA == nil && errB == nil {
			must(t, c.undo(plain))
			must(t, c.undo(staged))
		}
	}
}

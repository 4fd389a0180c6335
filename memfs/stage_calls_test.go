package memfs_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"stagefs/memfs"
)

// choose makes up one operation after the tree has grown: half of them look something up.
func (g *stageScript) choose() stageOp {
	view := g.view()
	path := g.path(view)
	switch n := g.rng.IntN(100); {
	case n < 30:
		return g.lookUp(view, path)
	case n < 40:
		return g.open(view, path)
	case n < 52:
		return g.add(view, path)
	case n < 57:
		return g.remove(view, path)
	case n < 66:
		return g.rename(view, path)
	case n < 74:
		return g.attributes(view, path)
	case n < 88:
		return g.change(view, path)
	case n < 92:
		return g.ioView(view, path)
	}
	return g.steer()
}

func (g *stageScript) lookUp(view int, path string) stageOp {
	var info func(v *memfs.FS) string
	name := ""
	switch g.rng.IntN(4) {
	case 0:
		name, info = "stat", func(v *memfs.FS) string { return stageInfo(v.Stat(path)) }
	case 1:
		name, info = "lstat", func(v *memfs.FS) string { return stageInfo(v.Lstat(path)) }
	case 2:
		name, info = "stat into", func(v *memfs.FS) string {
			var st memfs.Stat
			err := v.StatInto(path, &st)
			st.Dev = 0
			return fmt.Sprintf("%+v %s", st, stageErr(err))
		}
	default:
		name, info = "readlink", func(v *memfs.FS) string {
			text, err := v.Readlink(path)
			return text + " " + stageErr(err)
		}
	}
	times := 1 + g.rng.IntN(5) // so that it becomes popular
	return stageCall(fmt.Sprintf("%s %d times", name, times), view, path, "", func(v *memfs.FS) string {
		var answers []string
		for range times {
			answers = append(answers, info(v))
		}
		return strings.Join(answers, "\n")
	})
}

// stageInfo is all of a FileInfo but the file system's number.
func stageInfo(info fs.FileInfo, err error) string {
	if err != nil {
		return stageErr(err)
	}
	return fmt.Sprintf("%s %v %d %v", info.Name(), info.Mode(), info.Size(), info.ModTime().Unix())
}

func (g *stageScript) open(view int, path string) stageOp {
	flag := []int{os.O_RDONLY, os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_EXCL,
		os.O_RDWR | os.O_CREATE | os.O_TRUNC}[g.rng.IntN(6)]
	slot := g.rng.IntN(8) // half of them are closed at once
	text := fmt.Sprintf("%s: open %x as %d %q", stageViews[view], flag, slot, path)
	return stageOp{text, func(s *stageSide) string {
		if s.views[view] == nil {
			return "no view"
		}
		f, err := s.views[view].OpenFile(path, flag, 0o664)
		if err != nil {
			return stageErr(err)
		}
		var st memfs.Stat
		err = f.StatInto(&st)
		st.Dev = 0
		answer := fmt.Sprintf("%s %+v %s", f.Name(), st, stageErr(err))
		names, err := f.Readdirnames(-1)
		answer += fmt.Sprintf(" %q %s", names, stageErr(err))
		if slot < len(s.files) {
			_ = s.files[slot].Close()
			s.files[slot] = f
			return answer
		}
		return answer + stageErr(f.Close())
	}}
}

func (g *stageScript) add(view int, path string) stageOp {
	target, to := g.target(), g.path(view)
	perm := fs.FileMode([]uint32{0o777, 0o755, 0o711, 0o700}[g.rng.IntN(4)])
	if strings.Count(path, "/") > 100 { // a tree that deep takes too long to list
		path = strings.Repeat("a/", 70) + "b"
	}
	switch g.rng.IntN(6) {
	case 0:
		return stageCall("mkdirall", view, path, "", func(v *memfs.FS) string { return stageErr(v.MkdirAll(path, perm)) })
	case 1:
		return stageCall("write", view, path, "", func(v *memfs.FS) string { return stageErr(v.WriteFile(path, []byte("x"), 0o666)) })
	case 2:
		return stageCall("symlink to "+target, view, path, "", func(v *memfs.FS) string { return stageErr(v.Symlink(target, path)) })
	case 3:
		return stageCall("link", view, path, to, func(v *memfs.FS) string { return stageErr(v.Link(path, to)) })
	}
	return stageCall(fmt.Sprintf("mkdir %o", perm), view, path, "", func(v *memfs.FS) string { return stageErr(v.Mkdir(path, perm)) })
}

func (g *stageScript) remove(view int, path string) stageOp {
	if g.rng.IntN(4) > 0 || strings.Count(path, "/") < 4 || strings.Contains(path, "..") {
		return stageCall("remove", view, path, "", func(v *memfs.FS) string { return stageErr(v.Remove(path)) })
	}
	return stageCall("removeall", view, path, "", func(v *memfs.FS) string { return stageErr(v.RemoveAll(path)) })
}

// rename moves something, often a working directory or one above it.
func (g *stageScript) rename(view int, path string) stageOp {
	to := g.path(view)
	if len(g.dirs) > 0 && view < stageConfined && g.rng.IntN(2) == 0 {
		path = g.dirs[g.rng.IntN(len(g.dirs))]
		to = g.dirs[g.rng.IntN(len(g.dirs))] + "/" + g.name()
	}
	if g.rng.IntN(4) == 0 && view < stageConfined {
		if wd, err := g.twins.plain.views[g.rng.IntN(stageConfined)].Getwd(); err == nil && wd != "/" {
			for path = wd; g.rng.IntN(3) == 0 && strings.LastIndexByte(path, '/') > 0; {
				path = path[:strings.LastIndexByte(path, '/')]
			}
		}
	}
	return stageCall("rename", view, path, to, func(v *memfs.FS) string { return stageErr(v.Rename(path, to)) })
}

func (g *stageScript) attributes(view int, path string) stageOp {
	mode := fs.FileMode([]uint32{0o777, 0o755, 0o755, 0o711, 0o733, 0o711, 0o700, 0, 0o750, 0o444, 0o070, 0o007, 0o110,
		0o777}[g.rng.IntN(14)])
	uid, gid := []int{-1, 0, 1000, 1001, 1002}[g.rng.IntN(5)], []int{-1, 0, 1000, 2000}[g.rng.IntN(4)]
	if g.rng.IntN(2) == 0 && len(g.dirs) > 0 { // of a directory that many paths lead through
		view, path = 0, g.dirs[g.rng.IntN(len(g.dirs))]
	}
	switch g.rng.IntN(7) {
	case 5, 6:
		list, name := randomACL(g.rng.IntN), []string{aclAccess, aclAccess, aclDefault, "user.a"}[g.rng.IntN(4)]
		return stageCall(fmt.Sprintf("set %s to %s", name, list), view, path, "", func(v *memfs.FS) string {
			return stageErr(v.Setxattr(path, name, aclBlob(list), 0))
		})
	case 0:
		return stageCall(fmt.Sprintf("chown %d:%d", uid, gid), view, path, "", func(v *memfs.FS) string { return stageErr(v.Chown(path, uid, gid)) })
	case 1:
		return stageCall(fmt.Sprintf("lchown %d:%d", uid, gid), view, path, "", func(v *memfs.FS) string { return stageErr(v.Lchown(path, uid, gid)) })
	}
	return stageCall(fmt.Sprintf("chmod %o", mode), view, path, "", func(v *memfs.FS) string { return stageErr(v.Chmod(path, mode)) })
}

// change changes what a view is, or does something with an open file.
func (g *stageScript) change(view int, path string) stageOp {
	slot, fresh := g.rng.IntN(4), stageConfined+g.rng.IntN(len(stageViews)-stageConfined)
	if len(g.dirs) > 0 && view < stageConfined && g.rng.IntN(2) == 0 {
		path = g.dirs[g.rng.IntN(len(g.dirs))]
	}
	switch g.rng.IntN(6) {
	case 0, 1, 2:
		return stageCall("chdir", view, path, "", func(v *memfs.FS) string {
			err := v.Chdir(path)
			wd, err2 := v.Getwd()
			return stageErr(err) + " " + wd + " " + stageErr(err2)
		})
	case 3:
		return stageOp{fmt.Sprintf("%s: chdir to file %d", stageViews[view], slot), func(s *stageSide) string {
			if s.files[slot] == nil {
				return "no file"
			}
			return stageErr(s.files[slot].Chdir())
		}}
	case 4:
		return stageOp{fmt.Sprintf("%s: open root %q as %s", stageViews[view], path, stageViews[fresh]), func(s *stageSide) string {
			if s.views[view] == nil {
				return "no view"
			}
			v, err := s.views[view].OpenRoot(path)
			if err == nil {
				s.views[fresh] = v
				return v.Name()
			}
			return stageErr(err)
		}}
	}
	return stageOp{fmt.Sprintf("use file %d", slot), func(s *stageSide) string {
		f := s.files[slot]
		if f == nil {
			return "no file"
		}
		s.files[slot] = nil
		n, err := f.WriteString("more")
		info := stageInfo(f.Stat())
		return fmt.Sprintf("%d %s %s %s", n, stageErr(err), info, stageErr(f.Close()))
	}}
}

// ioView asks through package io/fs.
func (g *stageScript) ioView(view int, path string) stageOp {
	path = strings.Trim(path, "/")
	sub := ""
	if at := strings.IndexByte(path, '/'); at > 0 && g.rng.IntN(2) == 0 {
		sub, path = path[:at], path[at+1:]
	}
	return stageCall("io/fs", view, sub, path, func(v *memfs.FS) string {
		fsys := v.FS()
		if sub != "" {
			var err error
			if fsys, err = fs.Sub(fsys, sub); err != nil {
				return stageErr(err)
			}
		}
		info := stageInfo(fs.Stat(fsys, path))
		entries, err := fs.ReadDir(fsys, path)
		for _, entry := range entries {
			info += fmt.Sprintf(" %s %v", entry.Name(), entry.Type())
		}
		data, err2 := fs.ReadFile(fsys, path)
		return fmt.Sprintf("%s %s %q %s", info, stageErr(err), data, stageErr(err2))
	})
}

// steer makes another pool, where there is a stage.
func (g *stageScript) steer() stageOp {
	if g.rng.IntN(2) == 0 || len(g.dirs) == 0 {
		return stageOp{"step", func(s *stageSide) string {
			s.fsys.Stage().Step()
			return ""
		}}
	}
	dirs := make([]string, 1+g.rng.IntN(20))
	for i := range dirs {
		dirs[i] = g.dirs[g.rng.IntN(len(g.dirs))]
	}
	return stageOp{fmt.Sprintf("promote %q", dirs), func(s *stageSide) string { return stageErr(s.fsys.Promote(dirs...)) }}
}

package memfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing/fstest"

	"stagefs/memfs"
)

// save is code under test: it takes what it needs of a file system, and the program gives it one that calls os.
func save(fsys interface {
	WriteFile(name string, data []byte, perm fs.FileMode) error
	Rename(oldname, newname string) error
}, name, text string) error {
	if err := fsys.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return fsys.Rename(name+".new", name)
}

// A test gives a function a fresh file system instead of a temporary directory, and looks at what it left.
func ExampleNew() {
	fsys := memfs.New()
	err := save(fsys, "/etc/motd", "hello")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	_ = fsys.Mkdir("/etc", 0o755)
	fmt.Println(save(fsys, "/etc/motd", "hello"))
	data, _ := fsys.ReadFile("/etc/motd")
	info, _ := fsys.Stat("/etc/motd")
	fmt.Printf("%s %v\n", data, info.Mode())
	// Output:
	// true
	// <nil>
	// hello -rw-------
}

// Limits show how a program copes with a full disk.
func ExampleNew_limits() {
	fsys := memfs.New(memfs.WithSize(8192), memfs.WithInodes(3))
	f, _ := fsys.Create("/log")
	n, err := f.Write(make([]byte, 10000))
	fmt.Println(n, errors.Is(err, syscall.ENOSPC))
	fmt.Println(f.Truncate(4096))
	fmt.Println(fsys.Statfs().BlocksUsed, "of", fsys.Statfs().Blocks, "blocks")
	fmt.Println(fsys.Mkdir("/a", 0o755))
	fmt.Println(errors.Is(fsys.Mkdir("/b", 0o755), syscall.ENOSPC))
	// Output:
	// 8192 true
	// <nil>
	// 1 of 2 blocks
	// <nil>
	// true
}

// As acts as another user: permissions can be tested by whoever runs the tests.
func ExampleFS_As() {
	fsys := memfs.New(memfs.WithCred(memfs.Cred{})) // root
	_ = fsys.WriteFile("/secret", []byte("s3cret"), 0o640)
	_ = fsys.Chown("/secret", 0, 50)
	for _, cred := range []memfs.Cred{{Uid: 1000, Gid: 1000}, {Uid: 1000, Gid: 1000, Groups: []uint32{50}}} {
		data, err := fsys.As(cred).ReadFile("/secret")
		fmt.Printf("%q %v\n", data, errors.Is(err, fs.ErrPermission))
	}
	// Output:
	// "" true
	// "s3cret" false
}

// OpenRoot confines a view to a directory, as os.OpenRoot does.
func ExampleFS_OpenRoot() {
	fsys := memfs.New()
	_ = fsys.MkdirAll("/srv/upload", 0o755)
	_ = fsys.Symlink("/etc/passwd", "/srv/upload/link")
	root, _ := fsys.OpenRoot("/srv/upload")
	fmt.Println(root.WriteFile("file", nil, 0o644))
	fmt.Println(root.WriteFile("../file", nil, 0o644))
	_, err := root.ReadFile("link")
	fmt.Println(err)
	// Output:
	// <nil>
	// openat ../file: path escapes from parent
	// openat link: path escapes from parent
}

// FS is for everything that reads an fs.FS: templates, http.FS, fs.WalkDir.
func ExampleFS_FS() {
	fsys := memfs.New()
	_ = fsys.MkdirAll("/docs/img", 0o755)
	_ = fsys.WriteFile("/docs/index.html", []byte("<p>"), 0o644)
	_ = fsys.WriteFile("/docs/img/a.png", nil, 0o644)
	_ = fs.WalkDir(fsys.FS(), "docs", func(path string, d fs.DirEntry, err error) error {
		fmt.Println(path, d.IsDir())
		return err
	})
	names, _ := fs.Glob(fsys.FS(), "docs/*.html")
	fmt.Println(names)
	// Output:
	// docs true
	// docs/img true
	// docs/img/a.png false
	// docs/index.html false
	// [docs/index.html]
}

// CopyFS fills a file system with fixtures: an embed.FS, os.DirFS("testdata"), or a map.
func ExampleFS_CopyFS() {
	fixtures := fstest.MapFS{
		"etc/hosts":  {Data: []byte("127.0.0.1 localhost\n"), Mode: 0o644},
		"bin/script": {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
	}
	fsys := memfs.New()
	fmt.Println(fsys.CopyFS("/", fixtures))
	entries, _ := fsys.ReadDir("/bin")
	for _, entry := range entries {
		info, _ := entry.Info()
		fmt.Println(entry.Name(), info.Mode(), info.Size())
	}
	// Output:
	// <nil>
	// script -rwxr-xr-x 10
}

// StatInto looks a file up without allocating, and tells more than a FileInfo.
func ExampleFS_StatInto() {
	fsys := memfs.New()
	_ = fsys.WriteFile("/f", make([]byte, 5000), 0o600)
	_ = fsys.Link("/f", "/g")
	var st memfs.Stat
	if err := fsys.StatInto("/g", &st); err != nil {
		fmt.Println(err)
	}
	fmt.Println(st.FileMode(), st.Size, st.Blocks, st.Nlink)
	// Output:
	// -rw------- 5000 16 2
}

// A listing can go on later, in another File: the cookie of an entry is where it stands in its directory, also when it
// is gone by then.
func ExampleDirEntry_Cookie() {
	fsys := memfs.New()
	for i := range 10 {
		_ = fsys.WriteFile(fmt.Sprintf("/file%d", i), nil, 0o644)
	}
	total, cookie := 0, int64(0)
	for {
		dir, _ := fsys.Open("/")
		_, _ = dir.Seek(cookie, io.SeekStart)
		page, err := dir.ReadDir(4)
		_ = dir.Close()
		if err == io.EOF {
			break
		}
		total += len(page)
		last := page[len(page)-1].(*memfs.DirEntry)
		cookie = last.Cookie()
		_ = fsys.Remove("/" + last.Name())
	}
	fmt.Println(total)
	// Output:
	// 10
}

// An open file stays usable after its name is gone.
func ExampleFile() {
	fsys := memfs.New()
	f, _ := fsys.OpenFile("/tmpfile", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	_ = fsys.Remove("/tmpfile")
	_, _ = f.WriteString("still here")
	_, _ = f.Seek(-4, io.SeekEnd)
	data, _ := io.ReadAll(f)
	fmt.Printf("%s, %d blocks in use\n", data, fsys.Statfs().BlocksUsed)
	_ = f.Close()
	fmt.Println(fsys.Statfs().BlocksUsed)
	// Output:
	// here, 1 blocks in use
	// 0
}

// The directories that are looked up most become pivots, from which walks start. That takes a moment; a program that
// knows where it is going to work can say so.
func ExampleFS_Promote() {
	fsys := memfs.New()
	_ = fsys.MkdirAll("/srv/data/2026/11", 0o755)
	_ = fsys.Promote("/srv/data/2026/11")
	fmt.Println(fsys.Stage().Pivots())
	_ = fsys.Rename("/srv/data", "/srv/old") // nothing below is skipped now
	fmt.Println(fsys.Stage().Pivots())
	fsys.Stage().Step() // as the lookups will do themselves
	fmt.Println(fsys.Stage().Pivots())
	// Output:
	// [/srv/data/2026/11]
	// [/srv]
	// [/srv/old/2026/11]
}

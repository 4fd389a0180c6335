package memfs

import (
	"io"
	"io/fs"
	"slices"
	"sync"
	"syscall"

	"stagefs/rbdir"
)

// batchMax is how many entries are copied while a directory is held.
const batchMax = 1024

// batches keeps buffers for entries between calls.
var batches = sync.Pool{New: func() any {
	b := make([]rbdir.Entry[Ref], 0, batchMax)
	return &b
}}

// DirEntry is an entry of a listing. Name and type are as of the listing; Info looks the path up again.
type DirEntry struct {
	list *listing
	name string
	ref  Ref
	key  uint64
}

// listing is what the entries of one call share.
type listing struct {
	file  *File                  // that was listed
	infos map[uint64]fs.FileInfo // by key: taken with the listing in views from OpenRoot, as os.Root does; else nil
}

// Name returns the entry's name.
func (d *DirEntry) Name() string { return d.name }

// IsDir reports whether the entry was a directory.
func (d *DirEntry) IsDir() bool { return d.ref.mode() == modeDir }

// Type returns the entry's type.
func (d *DirEntry) Type() fs.FileMode { return fileMode(d.ref.mode()) }

// Ino returns the inode number.
func (d *DirEntry) Ino() uint64 { return d.ref.Ino() }

// Cookie returns where the entry stands in its directory: File.Seek to it, and a listing goes on behind the entry, in
// any File of that directory, whether or not the entry is still there.
func (d *DirEntry) Cookie() int64 { return int64(d.key) }

// Info returns what Lstat says now of the entry's path: the name the directory was opened with, and the entry's. In a
// view from OpenRoot it is what was found when the directory was listed.
func (d *DirEntry) Info() (fs.FileInfo, error) {
	if info, taken := d.list.infos[d.key]; taken {
		return info, nil
	}
	return d.list.file.fs.Lstat(d.list.file.name + "/" + d.name)
}

// String returns what fs.FormatDirEntry makes of d.
func (d *DirEntry) String() string { return fs.FormatDirEntry(d) }

// list calls emit with one batch of entries after another from the position on, n entries in all or, if n <= 0, all
// there are. A batch is copied while the directory is held and emitted after.
func (f *File) list(n int, emit func(batch []rbdir.Entry[Ref])) errno {
	switch {
	case f.flags&filePath != 0:
		return syscall.EBADF
	case !f.n.isDir():
		return syscall.ENOTDIR
	case f.n.dir.entries.Dead():
		return syscall.ENOENT
	}
	buf := batches.Get().(*[]rbdir.Entry[Ref])
	f.lockPos()
	for left := n; n <= 0 || left > 0; {
		want := batchMax
		if n > 0 {
			want = min(left, batchMax)
		}
		batch := f.n.dir.entries.Batch((*buf)[:0], uint64(f.pos), want)
		if len(batch) == 0 {
			break
		}
		emit(batch)
		f.pos = int64(batch[len(batch)-1].Key)
		left -= len(batch)
		short := len(batch) < want
		clear(batch) // keep no names alive
		if short {
			break
		}
	}
	f.unlockPos()
	batches.Put(buf)
	f.accessed()
	return ok
}

// listAs is list with the errors of package os around it.
func (f *File) listAs(n int, emit func([]rbdir.Entry[Ref])) error {
	if f == nil {
		return fs.ErrInvalid
	}
	if !f.begin() {
		return f.fail("readdirent", errClosedList)
	}
	defer f.end()
	if e := f.list(n, emit); e != ok {
		return f.fail("readdirent", e)
	}
	return nil
}

// endOfList is io.EOF where n entries were asked for and none was left.
func endOfList(n, got int) error {
	if n > 0 && got == 0 {
		return io.EOF
	}
	return nil
}

// dirEntries lists up to n entries, all if n <= 0. Views from OpenRoot take the FileInfos at once.
func (f *File) dirEntries(n int) ([]DirEntry, error) {
	var entries []DirEntry
	list := &listing{file: f}
	err := f.listAs(n, func(batch []rbdir.Entry[Ref]) {
		if entries == nil {
			entries = make([]DirEntry, 0, f.expect(n, len(batch)))
		}
		for i := range batch {
			entries = append(entries, DirEntry{list, batch[i].Name, batch[i].Value, batch[i].Key})
		}
	})
	if err == nil && f.fs.confined {
		var infos []fs.FileInfo
		entries, infos, err = f.takeInfos(entries)
		list.infos = make(map[uint64]fs.FileInfo, len(infos))
		for i, info := range infos {
			list.infos[entries[i].key] = info
		}
	}
	return entries, err
}

// takeInfos takes the FileInfo of each entry; entries that are gone by now are left out, and any other error is the end.
func (f *File) takeInfos(entries []DirEntry) ([]DirEntry, []fs.FileInfo, error) {
	there := entries[:0]
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, e := f.lstatat(entry.name)
		switch e {
		case ok:
			there = append(there, entry)
			infos = append(infos, info)
		case syscall.ENOENT:
		default:
			return there, infos, f.fail("fstatat", e)
		}
	}
	return there, infos, nil
}

// lstatat is what fstatat says of one name in the directory itself.
func (f *File) lstatat(name string) (*fileInfo, errno) {
	for {
		p, e := f.fs.entryPlace(f.n, name)
		if e == ok {
			e = p.mustExist()
		}
		if e != ok {
			return nil, e
		}
		fi := &fileInfo{name: name}
		if f.fs.sb.fillAlive(p.child, &fi.st) {
			return fi, ok
		}
	}
}

// expect guesses how many entries are going to be listed.
func (f *File) expect(n, first int) int {
	if n > 0 {
		return min(n, max(first, f.n.dir.entries.Len()))
	}
	return max(first, f.n.dir.entries.Len())
}

// asDirEntries boxes entries that stay where they are.
func asDirEntries(entries []DirEntry) []fs.DirEntry {
	boxed := make([]fs.DirEntry, len(entries))
	for i := range entries {
		boxed[i] = &entries[i]
	}
	return boxed
}

// ReadDir lists the directory from the position on, in the order of the names' hashes: n entries at most, or all if
// n <= 0. An entry that is there all the time is listed exactly once, whatever is created, removed or renamed meanwhile.
// Each is a *DirEntry. With n > 0 the end is io.EOF.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		entries, err := f.dirEntries(n)
		if err != nil || len(entries) > 0 || n <= 0 {
			return asDirEntries(entries), err
		}
		if f.atEnd() { // else all that was listed is gone
			return []fs.DirEntry{}, io.EOF
		}
	}
}

// Readdir is ReadDir with a FileInfo for each entry, which needs search permission; names that are gone by then are left
// out.
func (f *File) Readdir(n int) ([]fs.FileInfo, error) {
	for {
		entries, err := f.dirEntries(n)
		infos := []fs.FileInfo{}
		if err == nil {
			_, infos, err = f.takeInfos(entries)
		}
		if err != nil || len(infos) > 0 || n <= 0 {
			return infos, err
		}
		if f.atEnd() {
			return infos, io.EOF
		}
	}
}

// atEnd reports whether the position is behind the last entry.
func (f *File) atEnd() bool {
	f.lockPos()
	defer f.unlockPos()
	return len(f.n.dir.entries.Batch(nil, uint64(f.pos), 1)) == 0
}

// Readdirnames is ReadDir with the names alone.
func (f *File) Readdirnames(n int) ([]string, error) {
	names := []string{}
	err := f.listAs(n, func(batch []rbdir.Entry[Ref]) {
		names = slices.Grow(names, f.expect(n, len(batch))-len(names))
		for i := range batch {
			names = append(names, batch[i].Name)
		}
	})
	if err == nil {
		err = endOfList(n, len(names))
	}
	return names, err
}

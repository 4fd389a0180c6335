// Package memfs is an in-memory file system with the behaviour of Linux's tmpfs and the interface of package os.
//
// A program's tests use it in place of os:
//
//	fsys := memfs.New()
//	err := fsys.WriteFile("/etc/motd", []byte("hello\n"), 0o644) // *fs.PathError: there is no /etc
//
// An [FS] is a view of a file system: a user ([FS.As]), a working directory, a root ([FS.OpenRoot], [FS.FS]). A [File]
// is an open file. Names, results and errors are those of package os on a tmpfs, permissions are enforced for every
// user but root, and all may be used by any number of goroutines.
//
// # How it works
//
// An inode is a number, attributes, and for a directory an rbdir.Dir: names to numbers and types, in a red-black tree
// by name hash. Directories hold numbers, not pointers; the inode table turns one into the other. So a listing touches
// no inode, and a rename of a directory changes one entry, whatever lies below.
//
// A walk begins at the deepest popular directory on its path that the user may reach, which package stage knows
// (stage.go), and takes the rest of the path apart (walk.go). For each name it asks the dentry cache, which answers
// without a lock, and only if that knows nothing the directory itself, under its latch; it leaves what it found in the
// cache. It checks search permission on an immutable snapshot of mode, owner and ACL. It ends with a place:
// directory, name, and what is there.
//
// A change (create.go, remove.go, rename.go) begins with a place. It locks the name if it takes more than one step,
// holds the directories it needs, looks again, checks permissions, and changes tree, cache, times and link counts
// before it lets go. What can fail comes before the first change, so a full file system or a removed directory leaves
// nothing half done; only a write to a full one keeps what fitted.
//
// A reader of attributes (stat.go) takes no lock: it reads, and reads again if a sequence number moved meanwhile. The
// bytes of a small file are one slice of its size, those of a larger one a radix tree of 4 KiB pages with holes
// (contents.go, flat.go, paged.go). An inode lives as long as it has names or open files (inode.go).
//
// The order in which locks are taken is drawn in package locking.
//
// # Reading order
//
// fs.go and osfs.go are the interface; walk.go, quick.go, stage.go, place.go, create.go, remove.go, rename.go, attr.go and
// open.go what is behind it; inode.go, table.go, dir.go and superblock.go what that works on; file.go, fileio.go and
// readdir.go open files; confined.go and confinedfs.go views that answer like os.Root; iofs.go the io/fs view; perm.go,
// acl.go and cred.go who may do what; xattrfs.go, xattr.go and extras.go extended attributes; limits.go, charge.go and
// quota.go what is charged, and where ENOSPC and EDQUOT come from; parseoptions.go mount options; atime.go access times;
// filelock*.go flock and record locks; rivals.go the seam for measuring other caches; check.go the invariants.
package memfs

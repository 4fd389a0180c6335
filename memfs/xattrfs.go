package memfs

import (
	"strings"
	"syscall"
)

// Extended attributes of files by path and by handle. The names are those of Linux's system calls, and so are names,
// limits and rules: a name has 1 to 255 bytes (else ERANGE) and begins with a namespace (else EOPNOTSUPP), a value has up
// to 65,536 bytes (else E2BIG) and may be empty.
//
//   - user.: regular files and directories only (EPERM, ENODATA for reading), by the permissions of the file; in a sticky
//     directory's own only the owner writes
//   - trusted.: root only; nobody else is told that they exist
//   - security.: everybody reads, root writes; security.capability has to be in the kernel's format, and goes when the
//     file is written to or gets another owner; as in the kernel everybody may set it to nothing
//   - system.posix_acl_access, system.posix_acl_default: POSIX ACLs in Linux's binary format, version 2; they decide
//     who may use a file, and what is created in a directory
//
// Each attribute but the ACLs takes 40 bytes, its name and its value of the limit that WithInodes sets, where an inode
// counts for 1,024 bytes (ENOSPC). Each call sees or changes one attribute at one moment; reading takes no lock. A change
// copies the list of the file's attributes, not their values. All change ctime.

// Getxattr returns the value of an extended attribute; symbolic links are followed. ENODATA says that there is none.
func (f *FS) Getxattr(path, name string) ([]byte, error) {
	return f.getxattrPath("getxattr", path, walkFollow, name)
}

// Lgetxattr is Getxattr for a symbolic link itself.
func (f *FS) Lgetxattr(path, name string) ([]byte, error) {
	return f.getxattrPath("lgetxattr", path, 0, name)
}

// Setxattr sets an extended attribute; symbolic links are followed. value is copied. For ACLs flags mean nothing, and an
// empty value removes them.
func (f *FS) Setxattr(path, name string, value []byte, flags XattrFlags) error {
	return f.setxattrPath("setxattr", path, walkFollow, name, value, flags)
}

// Lsetxattr is Setxattr for a symbolic link itself.
func (f *FS) Lsetxattr(path, name string, value []byte, flags XattrFlags) error {
	return f.setxattrPath("lsetxattr", path, 0, name, value, flags)
}

// Listxattr returns the names of the extended attributes that the user may know of: the ACLs, then the others, backwards
// by name. Symbolic links are followed. More than 65,536 bytes of names are E2BIG.
func (f *FS) Listxattr(path string) ([]string, error) {
	return f.listxattrPath("listxattr", path, walkFollow)
}

// Llistxattr is Listxattr for a symbolic link itself.
func (f *FS) Llistxattr(path string) ([]string, error) {
	return f.listxattrPath("llistxattr", path, 0)
}

// Removexattr removes an extended attribute; symbolic links are followed. ENODATA says that there is none, but for ACLs.
func (f *FS) Removexattr(path, name string) error {
	return f.removexattrPath("removexattr", path, walkFollow, name)
}

// Lremovexattr is Removexattr for a symbolic link itself.
func (f *FS) Lremovexattr(path, name string) error {
	return f.removexattrPath("lremovexattr", path, 0, name)
}

// onXattr is onFile, but for what is wrong with the arguments, which comes before all that is wrong with the path.
func (f *FS) onXattr(op, path string, flags walkFlags, wrong errno, call func(*inode) errno) error {
	if wrong == ok {
		return f.onFile(op, path, flags, call)
	}
	if strings.IndexByte(path, 0) >= 0 {
		wrong = syscall.EINVAL
	}
	if f.confined {
		op += "at"
	}
	return pathError(op, path, wrong)
}

func (f *FS) getxattrPath(op, path string, flags walkFlags, name string) (value []byte, err error) {
	err = f.onXattr(op, path, flags, checkXattrName(name), func(n *inode) (e errno) {
		value, e = f.getxattr(n, name)
		return e
	})
	return value, err
}

func (f *FS) setxattrPath(op, path string, walk walkFlags, name string, value []byte, flags XattrFlags) error {
	return f.onXattr(op, path, walk, checkXattr(name, value, flags), func(n *inode) errno {
		return f.setxattr(n, name, value, flags)
	})
}

func (f *FS) listxattrPath(op, path string, flags walkFlags) (names []string, err error) {
	err = f.onFile(op, path, flags, func(n *inode) (e errno) {
		names, e = f.listxattr(n)
		return e
	})
	return names, err
}

func (f *FS) removexattrPath(op, path string, flags walkFlags, name string) error {
	return f.onXattr(op, path, flags, checkXattrName(name), func(n *inode) errno { return f.removexattr(n, name) })
}

// Getxattr returns the value of an extended attribute of the file.
func (f *File) Getxattr(name string) (value []byte, err error) {
	err = f.change("fgetxattr", func() (e errno) {
		if e = checkXattrName(name); e == ok {
			value, e = f.fs.getxattr(f.n, name)
		}
		return e
	})
	return value, err
}

// Setxattr sets an extended attribute of the file, also where it is open for reading only.
func (f *File) Setxattr(name string, value []byte, flags XattrFlags) error {
	return f.change("fsetxattr", func() errno {
		if e := checkXattr(name, value, flags); e != ok {
			return e
		}
		return f.fs.setxattr(f.n, name, value, flags)
	})
}

// Listxattr returns the names of the file's extended attributes.
func (f *File) Listxattr() (names []string, err error) {
	err = f.change("flistxattr", func() (e errno) {
		names, e = f.fs.listxattr(f.n)
		return e
	})
	return names, err
}

// Removexattr removes an extended attribute of the file.
func (f *File) Removexattr(name string) error {
	return f.change("fremovexattr", func() errno {
		if e := checkXattrName(name); e != ok {
			return e
		}
		return f.fs.removexattr(f.n, name)
	})
}

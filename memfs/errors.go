package memfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errno is what every function below the os-like API returns: the kernel's error number, 0 for success. No path is in
// it and it allocates nothing; the API's methods wrap it once, by the three helpers here.
type errno = syscall.Errno

const ok errno = 0

var (
	errPathEscapes   = errors.New("path escapes from parent")
	errEmptyPath     = errors.New("empty path")
	errFileMode      = errors.New("unsupported file mode")
	errNotDirectory  = errors.New("not a directory")
	errNegative      = errors.New("negative offset")
	errClosedList    = errors.New("use of closed file") // os has this one, and not fs.ErrClosed, for listings
	errAppendWriteAt = errors.New("os: invalid use of WriteAt on file opened with O_APPEND")
	errSeparator     = errors.New("pattern contains path separator")
)

// pathError wraps e for the caller, or returns nil for success.
func pathError(op, path string, e errno) error {
	if e == ok {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: e}
}

// wrapPath is pathError for the few errors that have no number.
func wrapPath(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// linkError wraps the error of a call with two paths.
func linkError(op, oldname, newname string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: oldname, New: newname, Err: err}
}

// asError turns success into a nil error without boxing the zero errno.
func asError(e errno) error {
	if e == ok {
		return nil
	}
	return e
}

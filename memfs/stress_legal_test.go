package memfs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// verdict is what one call may answer beside success.
type verdict struct {
	errnos []syscall.Errno
	open   bool     // of a File: may be fs.ErrClosed
	eof    bool     // may be io.EOF, bare
	texts  []string // errors that have no number
}

// walk is what every path may lead to.
var walk = []syscall.Errno{syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES, syscall.ELOOP}

func walkAnd(errnos ...syscall.Errno) []syscall.Errno { return append(slices.Clone(walk), errnos...) }

// escapes is what a confined view answers to a path that leads out of it.
const escapes = "path escapes from parent"

// legal has the errors of each call in a tree that others change at the same time. ENOSPC is legal only where the file
// system is limited. A rename never needs space.
var legal = map[string]verdict{
	"create":    {errnos: walkAnd(syscall.EISDIR, syscall.ENOSPC), texts: []string{escapes}},
	"exclusive": {errnos: walkAnd(syscall.EEXIST, syscall.EISDIR, syscall.ENOSPC), texts: []string{escapes}},
	"append":    {errnos: walkAnd(syscall.EISDIR, syscall.ENOSPC), texts: []string{escapes}},
	"open":      {errnos: walk, texts: []string{escapes}},
	"openwrite": {errnos: walkAnd(syscall.EISDIR), texts: []string{escapes}},
	"createtmp": {errnos: walkAnd(syscall.ENOSPC), texts: []string{escapes}},
	"mkdirtmp":  {errnos: walkAnd(syscall.ENOSPC), texts: []string{escapes}},
	"mkdir":     {errnos: walkAnd(syscall.EEXIST, syscall.ENOSPC), texts: []string{escapes}},
	"mkdirall":  {errnos: walkAnd(syscall.EEXIST, syscall.ENOSPC), texts: []string{escapes}},
	"remove": {errnos: walkAnd(syscall.ENOTEMPTY, syscall.EPERM, syscall.EBUSY, syscall.EINVAL, syscall.EISDIR),
		texts: []string{escapes}},
	"removeall": {errnos: []syscall.Errno{syscall.ENOTDIR, syscall.EACCES, syscall.ELOOP, syscall.ENOTEMPTY,
		syscall.EPERM, syscall.EBUSY, syscall.EINVAL, syscall.EISDIR}, texts: []string{escapes}},
	"rename": {errnos: walkAnd(syscall.EEXIST, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EINVAL, syscall.EBUSY,
		syscall.EPERM), texts: []string{escapes}},
	"link":      {errnos: walkAnd(syscall.EEXIST, syscall.EPERM, syscall.ENOSPC), texts: []string{escapes}},
	"symlink":   {errnos: walkAnd(syscall.EEXIST, syscall.ENOSPC), texts: []string{escapes}},
	"readlink":  {errnos: walkAnd(syscall.EINVAL), texts: []string{escapes}},
	"stat":      {errnos: walk, texts: []string{escapes}},
	"lstat":     {errnos: walk, texts: []string{escapes}},
	"chmod":     {errnos: walkAnd(syscall.EPERM), texts: []string{escapes}},
	"chown":     {errnos: walkAnd(syscall.EPERM), texts: []string{escapes}},
	"chtimes":   {errnos: walkAnd(syscall.EPERM), texts: []string{escapes}},
	"truncate":  {errnos: walkAnd(syscall.EISDIR), texts: []string{escapes}},
	"readfile":  {errnos: walkAnd(syscall.EISDIR), texts: []string{escapes}},
	"writefile": {errnos: walkAnd(syscall.EISDIR, syscall.ENOSPC), texts: []string{escapes}},
	"readdir":   {errnos: walk, texts: []string{escapes}},
	"walkdir":   {errnos: walk, texts: []string{escapes}}, // an entry may become a link
	"copyfs":    {errnos: walkAnd(syscall.EEXIST, syscall.EISDIR, syscall.ENOSPC), texts: []string{escapes}},
	"chdir":     {errnos: walk},
	"getwd":     {errnos: []syscall.Errno{syscall.ENOENT}},
	"openroot":  {errnos: walk, texts: []string{escapes, "not a directory"}},
	"statfs":    {},

	"f.close":    {open: true},
	"f.read":     {open: true, eof: true, errnos: []syscall.Errno{syscall.EBADF, syscall.EISDIR}},
	"f.write":    {open: true, errnos: []syscall.Errno{syscall.EBADF, syscall.ENOSPC}},
	"f.writeat":  {open: true, errnos: []syscall.Errno{syscall.EBADF, syscall.ENOSPC}, texts: []string{"os: invalid use of WriteAt on file opened with O_APPEND"}},
	"f.seek":     {open: true, errnos: []syscall.Errno{syscall.EINVAL, syscall.ENXIO}},
	"f.truncate": {open: true, errnos: []syscall.Errno{syscall.EINVAL}},
	"f.stat":     {open: true},
	"f.sync":     {open: true},
	"f.chmod":    {open: true, errnos: []syscall.Errno{syscall.EPERM}},
	"f.chown":    {open: true, errnos: []syscall.Errno{syscall.EPERM}},
	"f.chdir":    {open: true, errnos: []syscall.Errno{syscall.ENOTDIR, syscall.EACCES, syscall.ENOTSUP}},
	"f.readdir": {eof: true, errnos: []syscall.Errno{syscall.ENOTDIR, syscall.ENOENT, syscall.EACCES},
		texts: []string{"use of closed file"}}, // os has no fs.ErrClosed here
}

// permits reports whether err is what the call may answer, in the shape that package os gives it.
func (v *verdict) permits(err error, limited bool) bool {
	if err == io.EOF {
		return v.eof
	}
	inner := err
	for wrapped := true; wrapped; { // os.Root.MkdirAll wraps twice
		switch e := inner.(type) {
		case *fs.PathError:
			inner = e.Err
		case *os.LinkError:
			inner = e.Err
		case *os.SyscallError: // of Getwd
			inner = e.Err
		default:
			wrapped = false
		}
	}
	if v.open && errors.Is(inner, fs.ErrClosed) {
		return true
	}
	if e, isErrno := inner.(syscall.Errno); isErrno {
		return inner != err && slices.Contains(v.errnos, e) && (e != syscall.ENOSPC || limited)
	}
	return slices.Contains(v.texts, inner.Error())
}

// did counts the outcome of a call and tells whether it succeeded. An outcome that the call may not have is a fault.
func (a *actor) did(name string, err error) bool {
	count := a.s.calls[name]
	if err == nil {
		count.succeeded.Add(1)
		return true
	}
	count.failed.Add(1)
	v := legal[name]
	if !v.permits(err, a.s.limited) {
		a.faultf("%s: %v (%T), which it may not return", name, err, err)
	}
	return false
}

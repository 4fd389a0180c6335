package twin

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

const attrBuffer = 1 << 17 // longer than any value or list

// attrError wraps the error of a call, as package os would.
func attrError(op string, at AttrOf, err error) error {
	switch {
	case err == nil:
		return nil
	case at.File != nil && err == unix.EBADF:
		err = os.ErrClosed // what package os says of a closed file
		fallthrough
	case at.File != nil:
		return &fs.PathError{Op: "f" + op, Path: at.File.Name(), Err: err}
	case at.Link:
		op = "l" + op
	}
	return &fs.PathError{Op: op, Path: at.Path, Err: err}
}

func (at AttrOf) fd() int { return int(at.File.(*os.File).Fd()) }

func (hostSystem) GetAttr(at AttrOf, attr string) ([]byte, error) {
	b := make([]byte, attrBuffer)
	var n int
	var err error
	switch {
	case at.File != nil:
		n, err = unix.Fgetxattr(at.fd(), attr, b)
	case at.Link:
		n, err = unix.Lgetxattr(at.Path, attr, b)
	default:
		n, err = unix.Getxattr(at.Path, attr, b)
	}
	if err != nil {
		return nil, attrError("getxattr", at, err)
	}
	return b[:n], nil
}

func (hostSystem) SetAttr(at AttrOf, attr string, value []byte, flags int) error {
	var err error
	switch {
	case at.File != nil:
		err = unix.Fsetxattr(at.fd(), attr, value, flags)
	case at.Link:
		err = unix.Lsetxattr(at.Path, attr, value, flags)
	default:
		err = unix.Setxattr(at.Path, attr, value, flags)
	}
	return attrError("setxattr", at, err)
}

func (hostSystem) ListAttrs(at AttrOf) ([]string, error) {
	b := make([]byte, attrBuffer)
	var n int
	var err error
	switch {
	case at.File != nil:
		n, err = unix.Flistxattr(at.fd(), b)
	case at.Link:
		n, err = unix.Llistxattr(at.Path, b)
	default:
		n, err = unix.Listxattr(at.Path, b)
	}
	if err != nil {
		return nil, attrError("listxattr", at, err)
	}
	if n == 0 {
		return []string{}, nil
	}
	return strings.Split(strings.TrimSuffix(string(b[:n]), "\x00"), "\x00"), nil
}

func (hostSystem) RemoveAttr(at AttrOf, attr string) error {
	var err error
	switch {
	case at.File != nil:
		err = unix.Fremovexattr(at.fd(), attr)
	case at.Link:
		err = unix.Lremovexattr(at.Path, attr)
	default:
		err = unix.Removexattr(at.Path, attr)
	}
	return attrError("removexattr", at, err)
}

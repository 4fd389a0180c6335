//go:build linux

package twin

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// sentinels are the errors that callers compare with ==.
var sentinels = []struct {
	name string
	err  error
}{
	{"io.EOF", io.EOF},
	{"io.ErrUnexpectedEOF", io.ErrUnexpectedEOF},
	{"io.ErrShortWrite", io.ErrShortWrite},
	{"fs.ErrClosed", fs.ErrClosed},
	{"fs.ErrExist", fs.ErrExist},
	{"fs.ErrNotExist", fs.ErrNotExist},
	{"fs.ErrInvalid", fs.ErrInvalid},
	{"fs.ErrPermission", fs.ErrPermission},
	{"fs.SkipDir", fs.SkipDir},
}

// describeError writes all that a caller can find out about err.
func describeError(err error, path func(string) string) string {
	switch e := err.(type) {
	case nil:
		return "ok"
	case *fs.PathError:
		if e == nil {
			return "nil *PathError"
		}
		return fmt.Sprintf("PathError{%s %s: %s}", e.Op, path(e.Path), describeError(e.Err, path))
	case *os.LinkError:
		if e == nil {
			return "nil *LinkError"
		}
		return fmt.Sprintf("LinkError{%s %s %s: %s}", e.Op, path(e.Old), path(e.New), describeError(e.Err, path))
	case *os.SyscallError:
		if e == nil {
			return "nil *SyscallError"
		}
		return fmt.Sprintf("SyscallError{%s: %s}", e.Syscall, describeError(e.Err, path))
	case syscall.Errno:
		if name := unix.ErrnoName(e); name != "" {
			return name
		}
		return fmt.Sprintf("errno %d", int(e))
	}
	for _, s := range sentinels {
		if err == s.err {
			return s.name
		}
	}
	text := strconv.Quote(err.Error())
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			text += " is " + s.name
		}
	}
	if inner := errors.Unwrap(err); inner != nil {
		text += " wraps " + describeError(inner, path)
	}
	return text
}

// errnoText gives the innermost error only.
func errnoText(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return describeError(err, quote)
}

// quote quotes s; of a long one it gives the ends, the length and a sum.
func quote(s string) string {
	const keep = 12
	if len(s) <= 80 {
		return strconv.Quote(s)
	}
	sum := fnv.New32a()
	io.WriteString(sum, s)
	return fmt.Sprintf("%q..%q(%d bytes, sum %08x)", s[:keep], s[len(s)-keep:], len(s), sum.Sum32())
}

// quoteAll quotes a list of short names.
func quoteAll(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = quote(n)
	}
	return "[" + strings.Join(q, " ") + "]"
}

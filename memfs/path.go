package memfs

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"
)

// baseName is the name a FileInfo has, by the rules of package filepath: the last component, "." for an empty path.
func baseName(path string) string {
	path = toSlash(path)
	if path == "" {
		return "."
	}
	for len(path) > 0 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	if path == "" {
		return "/"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// joinPath puts a name behind a directory, as package os does.
func joinPath(dir, name string) string {
	if len(dir) > 0 && isSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + "/" + name
}

// endsWithDot reports whether the last component of path is ".".
func endsWithDot(path string) bool {
	return path == "." || strings.HasSuffix(path, ".") && len(path) > 1 && isSeparator(path[len(path)-2])
}

// splitPath splits off the last component, slashes behind it left out, for RemoveAll as package os does it: the
// directory of a bare name is ".", and so is that of the root, whose name is "/".
func splitPath(path string) (dir, base string) {
	for len(path) > 1 && isSeparator(path[0]) && isSeparator(path[1]) {
		path = path[1:]
	}
	for len(path) > 1 && isSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	for at := len(path) - 2; at >= 0; at-- {
		if isSeparator(path[at]) {
			return path[:max(at, 1)], path[at+1:]
		}
	}
	return ".", path
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	slashes = '/' * ones
)

// nameEnd returns where the name that begins at byte at ends: at the next slash, or with the path. It looks at 8 bytes
// at a time, since a loop over the bytes of short names is mostly mispredicted ends.
func nameEnd(path string, at int) int {
	b := unsafe.Slice(unsafe.StringData(path), len(path)) // read only
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ slashes
		if zero := (x - ones) &^ x & highs; zero != 0 { // its lowest bit is that of the first byte that is a slash
			return at + bits.TrailingZeros64(zero)>>3
		}
	}
	for at < len(path) && path[at] != '/' {
		at++
	}
	return at
}

package stage

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// match returns how many bytes of key, a pivot's path from some component on, are also at the beginning of path, where
// a slash is taken to follow path: "usr/lib" has all of "usr/lib/" in it, and four bytes of "usr/libexec/".
func match(path, key string) int {
	n := min(len(path), len(key))
	a, b := unsafe.Slice(unsafe.StringData(path), n), unsafe.Slice(unsafe.StringData(key), n) // read only
	i := 0
	for ; i+8 <= len(a) && i+8 <= len(b); i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	if i < n && n >= 8 {
		if x := binary.LittleEndian.Uint64(a[n-8:]) ^ binary.LittleEndian.Uint64(b[n-8:]); x != 0 {
			return n - 8 + bits.TrailingZeros64(x)>>3
		}
		i = n
	}
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(path) && i < len(key) && key[i] == '/' {
		i++
	}
	return i
}

//go:build linux || darwin || freebsd

package memfs

// setInt stores v in a field whose integer type depends on the system.
func setInt[T ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64](field *T, v uint64) {
	*field = T(v)
}

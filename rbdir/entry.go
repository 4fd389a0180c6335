package rbdir

import "errors"

const (
	// OrdBits is the width of the ordinal in a key: 65,536 names can share one hash.
	OrdBits = 16

	// MinKey is the lowest key an entry can have. The numbers below it are free
	// for cookies that name no entry: the start of a listing, ".", "..".
	MinKey uint64 = 1 << OrdBits

	ordMask = 1<<OrdBits - 1
	maxKey  = 1<<63 - 1
)

// Errors of [Dir.Insert]. The directory is unchanged after each of them.
var (
	// ErrExist says that the name is there already.
	ErrExist = errors.New("rbdir: name exists")

	// ErrDead says that the directory was removed ([Dir.Kill]).
	ErrDead = errors.New("rbdir: directory is removed")

	// ErrFull says that 65,536 names with the same hash are there already.
	ErrFull = errors.New("rbdir: no ordinal left for this hash")
)

// Entry is one name of a directory, as it was at the moment of the call that
// returned it.
type Entry[V any] struct {
	// Key is h<<OrdBits | ord, fixed for the entry's life; also its readdir
	// cookie. At least MinKey, below 2^63.
	Key   uint64
	Name  string
	Value V
}

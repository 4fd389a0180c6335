package rbdir

import "github.com/cespare/xxhash/v2"

const (
	hashBits = 47
	hashMask = 1<<hashBits - 1
)

// Hasher turns names into the 47-bit hashes that order a directory. It is a
// value, safe for concurrent use, and does not allocate. The zero value hashes
// with seed 0. All uses of one directory must hash alike.
type Hasher struct {
	seed   uint64
	narrow func(uint64) uint64
}

// NewHasher returns the hasher of a seed. The order of listings and the cookies
// depend on the seed, so equal seeds give equal listings, and a secret seed
// makes it harder to choose names that collide.
func NewHasher(seed uint64) Hasher { return Hasher{seed: seed} }

// Narrowed returns a copy of h that passes each 47-bit hash through f, to force
// collisions in tests. The result is masked to 47 bits; 0 is stepped to 1. f
// must be a pure function, and takes the place of an f given before.
func (h Hasher) Narrowed(f func(uint64) uint64) Hasher {
	h.narrow = f
	return h
}

// Sum returns the hash of name: the top 47 bits of the seeded XXH64, in 1 to
// 2^47-1.
func (h Hasher) Sum(name string) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(h.seed)
	_, _ = d.WriteString(name) // never fails
	s := d.Sum64() >> (64 - hashBits)
	if h.narrow != nil {
		s = h.narrow(s) & hashMask
	}
	return max(s, 1)
}

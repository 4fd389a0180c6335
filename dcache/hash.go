package dcache

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// hasher is the keyed hash of the table. Names of up to 16 bytes, nearly all, are hashed in place: both halves of the
// name are multiplied with secrets, as wyhash does (Wang Yi, github.com/wangyi-fudan/wyhash); longer ones by
// hash/maphash. Nobody who does not know the secrets can choose names or directories that share a bucket.
type hasher struct {
	first, second uint64
	mix           uint64 // spreads the directory over the hash; odd
	long          maphash.Seed
}

func newHasher() hasher {
	return hasher{rand.Uint64(), rand.Uint64(), rand.Uint64() | 1, maphash.MakeSeed()}
}

// sum hashes a name in a directory.
func (h *hasher) sum(dir uint64, name string) uint32 {
	if len(name) > shortName {
		return h.sumLong(dir, name)
	}
	a, b := words(name)
	return h.sumWords(dir, a, b, len(name))
}

func (h *hasher) sumLong(dir uint64, name string) uint32 {
	return h.sumWords(dir, maphash.String(h.long, name), 0, len(name))
}

func (h *hasher) sumWords(dir, a, b uint64, length int) uint32 {
	hi, lo := bits.Mul64(a^h.first, b^h.second^uint64(length)<<56)
	return uint32((hi ^ lo ^ dir) * h.mix >> 32)
}

// shortName is the length up to which words tells all of a name.
const shortName = 16

// words returns the bytes of a name of at most shortName bytes as two numbers: they and the length are equal only if
// the names are. It is small enough to be inlined.
func words(name string) (a, b uint64) {
	s := unsafe.Slice(unsafe.StringData(name), len(name)) // read only
	switch {
	case len(s) >= 8:
		return binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[len(s)-8:])
	case len(s) >= 4:
		return uint64(binary.LittleEndian.Uint32(s)), uint64(binary.LittleEndian.Uint32(s[len(s)-4:]))
	case len(s) > 0:
		return uint64(s[0]) | uint64(s[len(s)-1])<<8, uint64(s[len(s)>>1])
	}
	return 0, 0
}

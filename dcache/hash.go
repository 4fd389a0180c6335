package dcache

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// hasher is the keyed hash of the table: two rounds of multiply and fold, as in wyhash (Wang Yi,
// github.com/wangyi-fudan/wyhash). Of names up to 16 bytes, nearly all, the first round takes the two halves, of longer
// ones their hash/maphash; the second one takes the directory, into both factors, since directories come numbered in a
// row. Nobody who does not know the secrets can choose names or directories that share a bucket.
type hasher struct {
	first, second, third uint64 // secrets
	mask                 uint32 // all ones; tests narrow the hash with it
	long                 maphash.Seed
}

func newHasher() hasher {
	return hasher{
		first:  rand.Uint64(),
		second: rand.Uint64(),
		third:  rand.Uint64(),
		mask:   1<<32 - 1,
		long:   maphash.MakeSeed(),
	}
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
	const golden = 0x9e3779b97f4a7c15
	hi, lo := bits.Mul64(a^h.first, b^h.second^uint64(length)<<56)
	hi, lo = bits.Mul64(hi^lo^dir, h.third^dir*golden)
	return uint32((hi^lo)>>32) & h.mask
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

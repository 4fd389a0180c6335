package bench

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// pathSignature stands for a path.
type pathSignature struct{ a, b, c, d uint64 }

// signer makes signatures by the original's default scheme, mhash64: a
// multilinear hash over the words of the path with a random key for each
// position. A word times its key of 320 bits is a number of 384 bits; of that,
// those from the 64th to the 319th are XORed into the signature.
//
// A component is padded to whole words, so that a directory's signature is a
// state from which that of any path below goes on. It is padded with slashes,
// at least one: where a component ends is signed as well (the original pads
// with zeros and none where a name fills its words). So no two texts have the
// same words, canonical paths or not.
//
// The zero signer is not ready; see init.
type signer struct {
	keys *[signWords][5]uint64
	mask pathSignature // all ones; tests narrow the signature with it
}

// signWords is how many words a text of maxPath bytes may have: each stands for
// one byte at least, a slash.
const signWords = maxPath

func (s *signer) init() {
	s.keys = new([signWords][5]uint64)
	for i := range s.keys {
		for j := range s.keys[i] {
			s.keys[i][j] = rand.Uint64()
		}
	}
	s.mask = pathSignature{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
}

// sign returns the signature of a path, in one scan and without a branch that
// depends on where the slashes are.
func (s *signer) sign(path string) pathSignature {
	p := unsafe.Slice(unsafe.StringData(path), len(path)) // read only
	keys := s.keys
	var a, b, c, d uint64
	at, n := 1, uint(0) // the first byte is a slash
	for ; at <= len(p)-8; n++ {
		word, length := component(binary.LittleEndian.Uint64(p[at:]))
		at += length
		a, b, c, d = multiply(&keys[n%signWords], word, a, b, c, d)
	}
	for ; at <= len(p); n++ {
		word, length := component(lastBytes(p, at))
		at += length
		a, b, c, d = multiply(&keys[n%signWords], word, a, b, c, d)
	}
	return pathSignature{a & s.mask.a, b & s.mask.b, c & s.mask.c, d & s.mask.d}
}

const (
	eachByte = 0x0101010101010101
	slashes  = '/' * eachByte
)

// component takes one word off a path that begins with the bytes of next: it
// replaces what is behind the first slash by slashes, and returns how many
// bytes the word stands for, that slash included.
func component(next uint64) (word uint64, length int) {
	zeros := next ^ slashes
	first := (zeros - eachByte) &^ zeros & (0x80 * eachByte) // its lowest bit is exact
	name := (first&-first)>>7 - 1                            // the bytes before the slash, all if there is none
	return next&name | slashes&^name, (bits.TrailingZeros64(first) + 1) / 8
}

// lastBytes returns the at most seven bytes of b from at on, and slashes.
func lastBytes(b []byte, at int) uint64 {
	rest := uint(len(b)-at) * 8
	if rest != 0 && len(b) >= 8 {
		return binary.LittleEndian.Uint64(b[len(b)-8:])>>(64-rest) | slashes<<rest
	}
	word := uint64(slashes)
	for i := len(b) - 1; i >= at; i-- {
		word = word<<8 | uint64(b[i])
	}
	return word
}

// multiply enters one word into a signature of the words a to d.
func multiply(key *[5]uint64, word, a, b, c, d uint64) (uint64, uint64, uint64, uint64) {
	h0, _ := bits.Mul64(word, key[0])
	h1, l1 := bits.Mul64(word, key[1])
	h2, l2 := bits.Mul64(word, key[2])
	h3, l3 := bits.Mul64(word, key[3])
	p0, carry := bits.Add64(h0, l1, 0)
	p1, carry := bits.Add64(h1, l2, carry)
	p2, carry := bits.Add64(h2, l3, carry)
	p3, _ := bits.Add64(h3, word*key[4], carry)
	return a ^ p0, b ^ p1, c ^ p2, d ^ p3
}

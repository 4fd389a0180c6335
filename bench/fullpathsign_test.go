package bench

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// slowSign is the signature as its definition says: the words of all components,
// each with at least one slash behind it, times the keys.
func slowSign(s *signer, path string) pathSignature {
	var sig [4]uint64
	n := 0
	for name := range strings.SplitSeq(path[1:], "/") {
		padded := name + strings.Repeat("/", 8-len(name)%8)
		for ; padded != ""; padded = padded[8:] {
			key := bigKey(s.keys[n])
			word := new(big.Int).SetUint64(binary.LittleEndian.Uint64([]byte(padded[:8])))
			product := key.Mul(key, word)
			for i := range sig {
				product.Rsh(product, 64)
				sig[i] ^= new(big.Int).And(product, new(big.Int).SetUint64(^uint64(0))).Uint64()
			}
			n++
		}
	}
	return pathSignature{sig[0], sig[1], sig[2], sig[3]}
}

// bigKey is the key of a word as one number, its first word lowest.
func bigKey(words [5]uint64) *big.Int {
	key := new(big.Int)
	for _, word := range slices.Backward(words[:]) {
		key.Lsh(key, 64).Or(key, new(big.Int).SetUint64(word))
	}
	return key
}

func TestSignIsMultilinear(t *testing.T) {
	rnd := seededFullPath(t)
	var s signer
	s.init()
	const letters = "ab.\x00\xff-/0" // neighbours of the slash among them
	for range 5000 {
		path := ""
		for range 1 + rnd.IntN(9) {
			path += "/"
			for range 1 + rnd.IntN(20) {
				c := letters[rnd.IntN(len(letters))]
				if c == '/' {
					c = '0'
				}
				path += string([]byte{c})
			}
		}
		if got, want := s.sign(path), slowSign(&s, path); got != want {
			t.Fatalf("sign(%q) = %x, want %x", path, got, want)
		}
	}
}

func TestSignTellsPathsApart(t *testing.T) {
	var s signer
	s.init()
	seen := map[pathSignature]string{}
	for _, path := range []string{
		"/abcdefgh/ij", "/abcdefghij", "/abcdefgh", "/abcdefg/h", "/abcdefg", "/abcdefg/", "/a", "/a/a", "/aa",
		"/a\x00", "/a\x00\x00", "/a/\x00", "/abcdefghabcdefgh", "/abcdefgh/abcdefgh", "/b/a", "/a/b", "/a/b/c", "/ab/c", "/a/bc",
	} {
		path = strings.TrimSuffix(path, "/")
		sig := s.sign(path)
		if other, dup := seen[sig]; dup && other != path {
			t.Errorf("%q and %q have one signature", path, other)
		}
		seen[sig] = path
	}
}

package memfs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Names of all kinds come out in the order of their bytes, few and many, alike in their first 8 bytes or not.
func TestSortedByName(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	alphabets := []string{"ab", "0123456789", "\x01\x7f\x80\xff", "abcdefghijklmnopqrstuvwxyz.-_"}
	for _, count := range []int{0, 1, 2, 10, radixMin - 1, radixMin, 3000} {
		for _, alphabet := range alphabets {
			for _, prefix := range []string{"", "x", "longer than eight bytes "} {
				names := map[string]bool{}
				for len(names) < count {
					var b strings.Builder
					b.WriteString(prefix)
					for range 1 + rng.IntN(40) {
						b.WriteByte(alphabet[rng.IntN(len(alphabet))])
					}
					names[b.String()] = true
				}
				var entries []DirEntry
				var want []string
				for name := range names {
					entries = append(entries, DirEntry{name: name})
					want = append(want, name)
				}
				slices.Sort(want)
				var got []string
				for _, entry := range sortedByName(entries) {
					got = append(got, entry.Name())
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d names of %q behind %q are out of order", count, alphabet, prefix)
				}
			}
		}
	}
}

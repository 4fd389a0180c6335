package memfs

import (
	"cmp"
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
)

// sortKey stands for a name while names are sorted: 8 bytes of it as a number, in the order of the bytes. Most
// comparisons need no more, and so do not touch the names, which lie scattered in memory.
type sortKey struct {
	word  uint64
	index int
}

// sortedByName returns the entries as os.ReadDir orders them: by the bytes of their names. The entries stay where they
// are.
func sortedByName(entries []DirEntry) []fs.DirEntry {
	skip := commonPrefix(entries)
	keys := make([]sortKey, len(entries))
	for i := range entries {
		keys[i] = sortKey{nameWord(entries[i].name[skip:]), i}
	}
	keys = sortWords(keys)
	rest := func(k sortKey) string { return entries[k.index].name[skip:] }
	for from := 0; from < len(keys); { // names that differ only behind those 8 bytes
		to := from + 1
		for to < len(keys) && keys[to].word == keys[from].word {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(keys[from:to], func(a, b sortKey) int { return strings.Compare(rest(a), rest(b)) })
		}
		from = to
	}
	sorted := make([]fs.DirEntry, len(entries))
	for i := range keys {
		sorted[i] = &entries[keys[i].index]
	}
	return sorted
}

// radixMin is the number of keys from which on sorting by bytes beats comparing.
const radixMin = 256

// sortWords sorts keys by their words: many of them byte by byte from the last one (LSD radix sort), leaving out the
// bytes that all keys have in common. It may return another slice than it was given.
func sortWords(keys []sortKey) []sortKey {
	if len(keys) < radixMin {
		slices.SortFunc(keys, func(a, b sortKey) int { return cmp.Compare(a.word, b.word) })
		return keys
	}
	var counts [8][256]int
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k.word>>(8*b))]++
		}
	}
	other := make([]sortKey, len(keys))
	for b := range counts {
		count := &counts[b]
		if count[byte(keys[0].word>>(8*b))] == len(keys) {
			continue
		}
		at := 0
		for v, n := range count {
			count[v], at = at, at+n
		}
		for _, k := range keys {
			place := &count[byte(k.word>>(8*b))]
			other[*place] = k
			*place++
		}
		keys, other = other, keys
	}
	return keys
}

// nameWord is the first 8 bytes of a name; what is missing of them is zero, which no name contains.
func nameWord(name string) uint64 {
	if len(name) >= 8 {
		return binary.BigEndian.Uint64([]byte(name[:8]))
	}
	var b [8]byte
	copy(b[:], name)
	return binary.BigEndian.Uint64(b[:])
}

// commonPrefix returns how many bytes all names have in common at their beginning.
func commonPrefix(entries []DirEntry) int {
	if len(entries) == 0 {
		return 0
	}
	first := entries[0].name
	n := len(first)
	for i := range entries {
		name := entries[i].name
		n = min(n, len(name))
		for name[:n] != first[:n] {
			n--
		}
	}
	return n
}

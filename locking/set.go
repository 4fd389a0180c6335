package locking

import "slices"

// LockSet takes several keys exclusively, in the order that keeps two such
// calls from waiting for each other: it sorts keys by (Dir, Hash) and removes
// equal ones, both in place, and returns what is left, to be given to
// UnlockSet. The caller holds no name lock yet.
func (t *Table) LockSet(keys []Key) []Key {
	slices.SortFunc(keys, Key.compare)
	keys = slices.Compact(keys)
	for _, k := range keys {
		t.Lock(k)
	}
	return keys
}

// UnlockSet gives up what LockSet took. keys is the slice that it returned.
func (t *Table) UnlockSet(keys []Key) {
	for i := len(keys) - 1; i >= 0; i-- {
		t.Unlock(keys[i])
	}
}

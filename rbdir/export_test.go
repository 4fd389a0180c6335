package rbdir

import "unsafe"

// IsTree reports whether d is a tree at the moment.
func IsTree[V any](d *Dir[V]) bool { return d.large != nil && d.large.other == nil }

// SideMaps returns the number of groups that have a side map.
func SideMaps[V any](d *Dir[V]) int {
	n := 0
	eachShard(d, func(s *shard[V]) { n += len(s.groups) })
	return n
}

// Slots returns the number of slots of the table: 1 for a single tree.
func Slots[V any](d *Dir[V]) int {
	if !IsTree(d) {
		return 0
	}
	return max(1, len(d.large.slots))
}

// Shards returns the number of shards.
func Shards[V any](d *Dir[V]) int {
	n := 0
	eachShard(d, func(*shard[V]) { n++ })
	return n
}

// Largest returns the number of entries of the largest shard.
func Largest[V any](d *Dir[V]) int {
	most := 0
	eachShard(d, func(s *shard[V]) { most = max(most, int(s.n)) })
	return most
}

func eachShard[V any](d *Dir[V], f func(*shard[V])) {
	if !IsTree(d) {
		return
	}
	for h, s := uint64(0), d.large.at(0); s != nil; s, h = d.large.following(s, h) {
		f(s)
	}
}

// Sizes returns the sizes of what the table is made of, in bytes.
func Sizes[V any]() (table, shards uintptr) {
	return unsafe.Sizeof(large[V]{}), unsafe.Sizeof(shard[V]{})
}

// SmallCap returns the number of places in the slice of a small directory.
func SmallCap[V any](d *Dir[V]) int { return cap(d.small) }

// Node is the tree's node, for its size.
type Node[V any] = node[V]

const (
	SmallMax    = smallMax
	SmallAgain  = smallAgain
	GroupMax    = groupMax
	GroupAgain  = groupAgain
	ShardMax    = shardMax
	ShardFill   = shardFill
	SlotsGrow   = slotsGrow
	SlotsShrink = slotsShrink
)

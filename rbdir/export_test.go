package rbdir

// IsTree reports whether d is a tree at the moment.
func IsTree[V any](d *Dir[V]) bool { return d.large != nil && d.large.other == nil }

// SideMaps returns the number of groups that have a side map.
func SideMaps[V any](d *Dir[V]) int {
	if d.large == nil {
		return 0
	}
	return len(d.large.groups)
}

// SmallCap returns the number of places in the slice of a small directory.
func SmallCap[V any](d *Dir[V]) int { return cap(d.small) }

// Node is the tree's node, for its size.
type Node[V any] = node[V]

const (
	SmallMax   = smallMax
	SmallAgain = smallAgain
	GroupMax   = groupMax
	GroupAgain = groupAgain
)

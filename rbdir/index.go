package rbdir

// Index is an ordered index of names that can stand in for the slice and the
// tree of a [Dir] (see [Dir.InitIndex]), so that a benchmark compares that one
// part with everything else equal. The methods do what those of Dir say; the Dir
// counts the entries, refuses Insert when it is dead, and calls Find and Batch
// from several goroutines at once but every other method alone.
//
// Insert is called only for a name that Find has not found, and must not fail
// then.
type Index[V any] interface {
	Find(h uint64, name string) (Entry[V], bool)
	Insert(h uint64, name string, v V) (uint64, error)
	Replace(h uint64, name string, v V) (V, bool)
	Delete(h uint64, name string) (V, bool)
	Batch(dst []Entry[V], after uint64, max int) []Entry[V]
}

package locking

// Rank is a level of the lock order drawn in the package documentation. A
// goroutine that holds a lock of some rank takes only locks of higher numbers,
// or further ones of the same rank in ascending order.
type Rank uint8

// The ranks, outermost first. This list is the one source of the lock order.
const (
	RankManager    Rank = 1 + iota // the pivot manager at work; once
	RankFreeze                     // the reader lock that a snapshot takes exclusively; once
	RankRename                     // directories that change their parent; once
	RankOffset                     // the position of an open handle
	RankName                       // a name lock, by (directory inode number, hash)
	RankDirectory                  // a directory latch, by (directory inode number, lowest key)
	RankAttributes                 // an inode's attributes, by inode number
	RankGroup                      // a composite group, by group number
	RankContents                   // a file's contents, by inode number
	RankFilelock                   // the file locks of some inodes, by shard number
	RankLeaf                       // anything that takes no other lock; one at a time
)

var rankNames = [...]string{
	RankManager:    "manager",
	RankFreeze:     "freeze",
	RankRename:     "rename",
	RankOffset:     "offset",
	RankName:       "name",
	RankDirectory:  "directory",
	RankAttributes: "attributes",
	RankGroup:      "group",
	RankContents:   "contents",
	RankFilelock:   "filelock",
	RankLeaf:       "leaf",
}

// String returns the rank's name in the lock order, "rank?" for a number that
// is none.
func (r Rank) String() string {
	if r < RankManager || int(r) >= len(rankNames) {
		return "rank?"
	}
	return rankNames[r]
}

// single tells whether a goroutine may hold only one lock of this rank.
func (r Rank) single() bool {
	return r == RankManager || r == RankFreeze || r == RankRename || r == RankLeaf
}

// Acquired reports that the calling goroutine is about to take a lock of rank
// r, which among the locks of this rank has the place (major, minor). Call it
// before blocking on the lock. With the build tag lockcheck it panics if the
// goroutine holds a lock of a higher rank, or one of the same rank whose place
// is not below (major, minor), or any of the same rank where the rank allows
// one at a time. Without the tag it does nothing.
func Acquired(r Rank, major, minor uint64) {
	if Checking {
		acquired(r, major, minor)
	}
}

// Released reports that the calling goroutine gave up a lock it had reported
// to Acquired; locks may go in any order. With the build tag lockcheck it
// panics if this goroutine does not hold it. Without the tag it does nothing.
func Released(r Rank, major, minor uint64) {
	if Checking {
		released(r, major, minor)
	}
}

// Held returns what the calling goroutine holds, outermost first, one
// "rank(major,minor)" each. Without the build tag lockcheck it is always nil.
func Held() []string {
	if Checking {
		return held()
	}
	return nil
}

// AssertNone panics if the calling goroutine holds a reported lock. It stands
// in tests and where a lock that was left behind would be fatal. Without the
// build tag lockcheck it does nothing.
func AssertNone() {
	if Checking {
		assertNone()
	}
}

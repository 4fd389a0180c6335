// Package dcache remembers which name in which directory leads where, so that
// a path walk need not ask the directory again.
//
// An entry is keyed by the directory's identity and the name, not by a path:
// renaming a directory changes one entry and none of its children. An entry
// without a value is negative: it says that the directory has no such name.
// The cache is never the only record of a name. The directory is the truth, and
// every entry may vanish at any time.
//
// # Reading without a lock
//
// Get walks a hash chain of entries that never change, but for two atomic
// words: the link to the next entry and the state. So a name is never torn, and
// a chain always ends. A writer publishes an entry by one atomic store after
// everything in it was written; the garbage collector keeps an unlinked entry
// readable for as long as some reader stands on it. This is what RCU or SMR do
// in the kernels (Linux dcache, FreeBSD namecache), without their bookkeeping.
//
// The state has a dead bit, which Drop sets before it unlinks. A reader tests
// it after the name matched, and takes a dead entry for a miss: what the name
// means now is decided under the directory's own lock. Hence the promise of
// Drop: no Get that starts after it returned finds the old value. A Get that
// overlaps with Drop may return it, which is the answer of a moment ago.
//
// # Who may call what
//
// Get takes no lock and may run at any time. Fill and Drop are called under a
// lock of the directory that keeps the name's meaning stable: Fill under a
// shared one at least, so that several may fill in the same answer at once;
// Drop under an exclusive one, before the directory changes. Different names
// need no common lock.
//
// # Table
//
// The buckets lie behind one atomic pointer. They double when there are more
// than 5/4 entries to a bucket and shrink when there are less than 1/8. A
// resize copies all entries and relinks none, so a reader inside the old table
// ends its walk there undisturbed. It holds every stripe lock until the old
// copies are marked dead; a Drop therefore meets either the old table alone or
// the new one, and in the second case no old copy is believed any more.
//
// Writers share the buckets through striped mutexes; a stripe owns a contiguous
// range of them. They are leaves of the lock order (package locking).
//
// # Bound
//
// At most limit entries live, at most an eighth of them negative. Beyond that
// each Fill evicts another entry, chosen by a clock hand (second chance, after
// Corbató's CLOCK): Get sets an entry's referenced bit, if it is not set yet;
// the hand clears it on its first pass and evicts on its next. Entries that are
// read all the time thus survive a flood of names seen once, and a hit on a hot
// entry writes nothing. The entry just filled in is never the victim of its own
// Fill, so that a limit of 1 works.
package dcache

// Package rbdir holds one directory: an ordered map from name to payload that
// many goroutines use at once and that can be listed, by a stable cookie,
// while it changes.
//
// # Keys
//
// An entry's key is K = h<<16 | ord. h is 47 bits of a seeded hash of the name
// ([Hasher], never 0); ord tells apart names whose h is equal and is the lowest
// ordinal that is free among them when the entry is made. K is also the readdir
// cookie. Four things follow from this layout:
//
//   - K never changes while the entry lives, whatever is added or removed
//     beside it. (FreeBSD's tmpfs, where keying a red-black tree by name hash
//     comes from, changes the first entry's cookie at the second collision.)
//   - K is at least [MinKey], so 0 (start), 1 (".") and 2 ("..") are free, and
//     below 2^63, so it is never negative as an int64.
//   - "Go on after K" is the lower bound of K+1. No position is cached, no
//     pointer is kept in a handle, and any number is a valid place to go on
//     from: an entry that was removed meanwhile is simply not there.
//   - A name renamed away and back gets its old K again. A fresh, higher key
//     each time would put the entry ahead of the reader for ever.
//
// So a listing returns every entry that is there from its start to its end
// exactly once, and it ends. [Dir.Replace] exchanges the payload and leaves the
// key, which is what a rename onto an existing name needs: no listing can miss
// the target.
//
// # Structure
//
// Up to 8 entries are a sorted slice without slack to speak of; most
// directories stay there. Above that they are a red-black tree of
// github.com/emirpasic/gods/v2, which turns back into a slice when 4 are left.
// gods exports its nodes, so lookups and scans walk them here, comparing keys
// inline; changes go through Put and Remove. Remove moves keys and values
// between nodes, so a node is never held across a change, only a key.
//
// Names with equal h are neighbours in the tree and are told apart by walking
// them. Names can be chosen to collide (xxhash is not a keyed hash in the
// cryptographic sense), so a group of more than 8 gets a side map from name to
// ordinal and a bitmap of the ordinals in use, until it is down to 4. Creating,
// finding and removing n such names costs O(n log n) in all.
//
// # Concurrency
//
// A Dir is read under a shared hold and changed under an exclusive one.
// [Dir.Get] and [Dir.Batch] take the shared hold for their own duration.
// [Dir.View] gives it to the caller, who wants to do something (fill a cache)
// before the answer can become stale. A [Change] takes the exclusive hold on
// all the directories of one operation, in ascending order of [Dir.ID] and each
// once; [Dir.Find], [Dir.Insert], [Dir.Replace], [Dir.Delete] and [Dir.Kill] are
// for use between its Begin and its End. [Dir.Len] and [Dir.Dead] are atomic
// loads.
//
// How much of a directory one hold covers is not part of the contract: a View
// and a Change name the hash they are about and may be used for that hash only.
// Under a hold the caller takes no further hold of this package, runs no code
// of a user, and waits for nothing.
//
// # Checks
//
// [Dir.Check] compares a whole directory with the rules above. Built with the
// tag invariants, every change is followed by the same check (sampled in large
// directories), and a call that its Change does not cover panics. Holds are
// reported to package locking as locking.RankDirectory, which checks their
// order under the tag lockcheck.
package rbdir

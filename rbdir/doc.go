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
//   - A name renamed away and back gets the lowest free K of its hash again,
//     its old one as a rule. A fresh, higher key each time would put the entry
//     ahead of the reader for ever.
//
// So a listing returns every entry that is there from its start to its end
// exactly once, and it ends. [Dir.Replace] exchanges the payload and leaves the
// key, which is what a rename onto an existing name needs: no listing can miss
// the target.
//
// # Structure
//
// Up to 8 entries are a sorted slice without slack to speak of; most
// directories stay there. Above that they are red-black trees of
// github.com/emirpasic/gods/v2, and a slice again when 4 are left.
//
// The trees are kept small, since a way down a large one is one cache miss after
// the other. A table of 2^g slots leads from the top g bits of h to a shard, which
// is one tree and covers all hashes that begin with the same l <= g bits, in
// 2^(g-l) slots (extendible hashing; Fagin et al., ACM TODS 4(3), 1979). The bits
// are the top ones, so the slots one after the other, and the tree in each, are
// the order of the keys. A shard of more than 64 entries is split, as a rule in
// four; two buddies of 24 or less together become one again. Only the shard
// itself is touched, except when the table doubles. A directory of one shard has
// no table.
//
// The table has at most one slot for 8 entries when it grows and is halved when
// there are fewer than 4 for each, so names that share their top bits cannot make
// it large: a shard whose entries part below the last bit of the table stays as it
// is, and its tree does the work alone, in logarithmic time. With the real hash
// table and shards take about 1.2 bytes an entry.
//
// gods exports its nodes and their links, which saves most of the way down.
// Lookups and scans walk the nodes here, comparing keys inline. Put and Remove
// make the changes, and search from the Root they are given downwards but repair
// the balance along the parents upwards, so they are given the very place that the
// lookup before has found. A split or a merge links the nodes there are anew, to
// flat trees. Remove moves keys and values between nodes, so a node is never
// held across a change, only a key.
//
// Names with equal h are neighbours in one tree and are told apart by walking
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
// once; [Dir.Find], [Dir.Insert], [Dir.Replace], [Dir.Delete], [Dir.Remove]
// and [Dir.Kill] are for use between its Begin and its End. [Dir.Len] and [Dir.Dead]
// are atomic loads.
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

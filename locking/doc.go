// Package locking holds what the locks of the whole project have in common:
// their order, the check of that order, and the locks on names.
//
// # Lock order
//
// A goroutine takes locks from the top of this tree downwards. Every line is a
// Rank; rank.go lists the same ranks as constants, and a test keeps the two
// equal.
//
//	manager                file system: the pivot manager of the stage at work; never nested
//	  freeze               file system: shared by every change, exclusive for a snapshot; never nested
//	    rename             file system: only while a directory changes its parent; never nested
//	      offset           open handle: its position
//	        name           meaning of one name in one directory, by (directory inode number, hash)
//	          directory    latch of one directory shard, by (directory inode number, lowest key)
//	            attributes mode, owner, times and link count of one inode, by inode number
//	              group    composite group: its member table, by group number
//	                contents bytes of one file, by inode number
//	                  filelock flock and record locks of some inodes, by shard number; one at a time
//	                    leaf slab, dcache bucket, pools of the stage, limits: one at a time, nothing below
//
// Several locks of one rank are taken in ascending order of the pair that
// stands after "by", each of them once, shared or exclusive: a read lock that
// one goroutine takes twice deadlocks as soon as a writer waits in between.
// Below "name" nobody waits for anything but the next lock of the tree. Under
// any lock no code of the user runs, no source is asked, nobody waits for a channel but
// that of a name lock, and evicted objects are released only after the unlock.
//
// # Checking the order
//
// Code that takes a lock reports it: Acquired just before it blocks, Released
// after the unlock. Without the build tag lockcheck both are empty and compile
// to nothing. With it each goroutine has a list of what it holds, and a lock
// out of order panics with the ranks and the call stacks of both locks. As the
// report comes before the lock, an inversion shows itself on any run that
// passes both places, not only on the run that would deadlock.
//
// # Name locks
//
// A Table holds locks on names, the dynlocks of Lustre's parallel directory
// operations: a lock exists for a Key only while somebody holds it or waits for
// it, so a directory of a million names costs nothing. Two changes of different
// names in one directory never wait for each other. Requests for one key are
// served first come, first served; shared ones that follow each other hold it
// together. A lock is given from hand to hand on unlock, so that neither a
// stream of readers nor a faster goroutine can starve a waiter.
package locking

// Package stage keeps pivots: popular directories, each with all the directories above it, so that a path walk need not
// start at the root. It is the Stage Lookup of Y. Zou, T. Deng, J. Zhang, C. Chen and S. Yin ("Stage Lookup: Accelerating
// Path Lookup using Directory Shortcuts", arXiv 2010.08741), with the paper's parts under the paper's names. It knows
// neither inodes nor credentials: the file system's directories implement Directory.
//
// # A lookup in two stages
//
// Stage one is [Base.Find]: it finds the pivot that shares most components with a path, by its text alone. The walk then
// begins at the directory of the last common component, which the pivot has at hand (the paper: it rolls up from the
// pivot to there); that is stage two, and the caller's. A pivot also has, for all skipped directories at once, what
// decides who may pass them; where everybody may, as mostly, that is nothing, and the check is one comparison.
//
// A pivot's path has plain names only, one slash after each, and leads through directories only. So a path with ".",
// "..", two slashes in a row or a symbolic link is skipped as far as it is plain, and walked from there on.
//
// # The Pivot Pool
//
// A [Pool] does not change but for the limits of its pivots, and is swapped by one pointer. It is searched in one of three
// ways (Kind): a digital tree, whose cost grows with the branchings on the path; the paper's ascending list with overlaps,
// one scan of the pool; and, for comparison, a hash table of all prefixes. Before that, a hash of its first component
// turns most paths away that no pivot knows. No pivot is an ancestor of another: it would be of no use.
//
// A search may begin at any directory that a pivot leads through. A [Base] is where that is in one pool; a view keeps one
// for its root and one for its working directory, until there is another pool.
//
// # Heat Counter, Candidate Set, Pivot Manager
//
// The Heat Counter counts the target of a lookup, not what is passed on the way, and instead of a file, or of what is missing, its directory. It
// takes in one lookup of 64, chosen at random, so that the others write no memory that processors share. The hottest
// directories are in the Candidate Set, which has a fixed size and is never searched: least_popular_cand is the one that
// a newcomer displaces if it beats it by more than a threshold; of two candidates that are compared, the loser takes
// its part. Heat counts for one version, that is, until the next pool.
//
// The Pivot Manager makes a pool every two seconds: the hottest candidates, then the pivots of the old pool as long as
// there is room. It has no goroutine of its own: a counted lookup that finds the pool due makes it, while all others go on
// with the old one; [Stage.Step] and [Stage.Run] do it for tests and for programs with a goroutine to spare. Where the pool
// is empty or a pivot was cut, the next one comes after a sixteenth of the period.
//
// # When a directory changes
//
// Who renames or removes a directory, or changes who may pass it, calls [Stage.Begin] before and [Stage.End] after. This
// is what makes a hit equal to a walk:
//
//   - A directory has one word, its mark: whether pools may lead through it, and how many changes are on their way. Begin
//     counts itself there, the manager raises the mark there before it reads where the directory hangs. These are atomic
//     operations on one word, so one of the two sees the other.
//   - If Begin sees the mark, it lowers the limit of each pivot that leads through the directory: to what is above it if
//     it Moves, to the directory itself if it Closes (a walk may still begin there, and then checks it). The pivots through one directory are neighbours in the pool, so this costs no more than the pool is large, whatever is
//     below the directory. If it does not, it has written one word of the directory's own.
//   - While a pool is built, Begin also notes the change. What was read before it may be old, so the new pool is cut in the
//     same way when it is published. A directory that moves meanwhile can make pivots disagree where it is; then the
//     build begins again.
//   - If the manager sees a change on its way, it leaves that directory out.
//
// So while a change is on its way no pool leads through its directory, and what a search finds was true at one moment
// since its pool was loaded. A walk that goes on from there may meet a later state, as every walk may that takes its
// time; and what it does not find there, it would not have found there without the pool either.
//
// # Concurrency
//
// Find takes no lock and writes nothing. Begin and End may be called under any lock but a leaf of the lock order (package
// locking); Count, Step, Promote and Run under none.
//
// # Reading order
//
// node.go is the part in each directory; pivot.go, pool.go and the indexes tree.go, list.go and hash.go are stage one;
// heat.go, manager.go and change.go what keeps the pool. stage.go holds it together.
package stage

package memfs

import (
	"math"
	"sync"
	"syscall"

	"stagefs/locking"
)

// quotas counts what every user and every group has, and knows what they may have. It is nil unless quotas are on. What
// an inode takes is charged to its owner and its group, after the limits of the whole file system, as tmpfs does: one
// inode each, however many names it has, and its pages. The owner of an inode with pages changes only with its contents
// locked, so that each page is given back to whom it was taken from.
type quotas struct {
	sb *superblock

	mu    sync.Mutex     // rank RankLeaf
	kinds [2]*quotaTable // by QuotaKind; nil: this kind is off. What they hold is guarded by mu.
}

// quotaTable are the quotas of all users, or of all groups.
type quotaTable struct {
	defaults    Quota                  // of all that have none of their own
	bytesGrace  int64                  // nanoseconds
	inodesGrace int64                  // nanoseconds
	ids         map[uint32]*quotaEntry // who has something, or limits of his own
}

// quotaEntry is what one user or group has and may have.
type quotaEntry struct {
	bytes, inodes quotaCount
}

// quotaCount is one number with its limits, 0 for none.
type quotaCount struct {
	used, soft, hard int64
	over             bool  // more in use than soft, since a while
	until            int64 // if over: when the soft limit becomes a hard one, in nanoseconds since 1970
}

// payer is who makes a change that is charged.
type payer struct {
	root bool  // limited by no quota
	now  int64 // what superblock.now returned
}

// payer returns who pays for a change by f. The owner of the file does, but whether his limits hold depends on who asks.
func (f *FS) payer(now int64) payer { return payer{root: f.cred.root(), now: now} }

func newQuotas(sb *superblock, defaults [2]*Quota) *quotas {
	if defaults[UserQuota] == nil && defaults[GroupQuota] == nil {
		return nil
	}
	q := &quotas{sb: sb}
	for kind, d := range defaults {
		if d != nil {
			q.kinds[kind] = &quotaTable{
				defaults: *d, bytesGrace: quotaGrace, inodesGrace: quotaGrace, ids: map[uint32]*quotaEntry{},
			}
		}
	}
	return q
}

func (q *quotas) lock() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	q.mu.Lock()
}

func (q *quotas) unlock() {
	q.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}

// entry returns what id has, made now if it has nothing.
func (t *quotaTable) entry(id uint32) *quotaEntry {
	e := t.ids[id]
	if e == nil {
		e = &quotaEntry{}
		e.set(t.defaults)
		t.ids[id] = e
	}
	return e
}

// tidy forgets id if there is nothing to know of it.
func (t *quotaTable) tidy(id uint32) {
	if e := t.ids[id]; e != nil && e.bytes.used == 0 && e.inodes.used == 0 && e.limits() == t.defaults {
		delete(t.ids, id)
	}
}

// limits returns the limits that are in force.
func (e *quotaEntry) limits() Quota {
	return Quota{SoftBytes: e.bytes.soft, HardBytes: e.bytes.hard, SoftInodes: e.inodes.soft, HardInodes: e.inodes.hard}
}

// set puts limits in force.
func (e *quotaEntry) set(q Quota) {
	e.bytes.soft, e.bytes.hard = q.SoftBytes, q.HardBytes
	e.inodes.soft, e.inodes.hard = q.SoftInodes, q.HardInodes
}

// expired reports whether the soft limit counts as a hard one.
func (c *quotaCount) expired(now int64) bool { return c.over && now >= c.until }

// fits reports whether n more can be taken at once.
func (c *quotaCount) fits(n, now int64) bool {
	return n == 0 || !(c.hard > 0 && n > c.hard-c.used) && !(c.soft > 0 && n > c.soft-c.used && c.expired(now))
}

// room returns how many of n pages can be taken one after the other.
func (c *quotaCount) room(n, grace, now int64) int64 {
	if c.hard > 0 {
		n = min(n, max(0, c.hard-c.used)>>pageShift)
	}
	below := max(0, c.soft-c.used) >> pageShift
	switch {
	case c.soft == 0 || n <= below:
	case c.expired(now):
		n = below
	case !c.over && grace <= 0:
		n = below + 1 // the first one beyond starts the time of grace, which is over at once
	}
	return n
}

// add counts n more; beyond the soft limit the time of grace begins.
func (c *quotaCount) add(n, grace, now int64) {
	c.used += n
	if c.soft > 0 && c.used > c.soft && !c.over {
		c.startGrace(grace, now)
	}
}

// sub counts n less; at the soft limit the time of grace ends.
func (c *quotaCount) sub(n int64) {
	c.used -= n
	if c.used <= c.soft {
		c.over = false
	}
}

func (c *quotaCount) startGrace(grace, now int64) {
	c.over, c.until = true, math.MaxInt64
	if grace = max(grace, 0); now <= math.MaxInt64-grace {
		c.until = now + grace
	}
}

// of returns the id of a's owner or group.
func (k QuotaKind) of(a *access) uint32 {
	if k == GroupQuota {
		return a.gid
	}
	return a.uid
}

// chargeInode takes one inode for its owner and group.
func (q *quotas) chargeInode(a *access, by payer) bool {
	q.lock()
	defer q.unlock()
	now := q.sb.stamp(by.now)
	for kind, t := range q.kinds {
		if t == nil || by.root {
			continue
		}
		id := QuotaKind(kind).of(a)
		if !t.entry(id).inodes.fits(1, now) {
			t.tidy(id)
			q.tidyUser(a)
			return false
		}
	}
	for kind, t := range q.kinds {
		if t != nil {
			t.entry(QuotaKind(kind).of(a)).inodes.add(1, t.inodesGrace, now)
		}
	}
	return true
}

// tidyUser forgets the entry that a charge made for the owner before it failed for the group.
func (q *quotas) tidyUser(a *access) {
	if t := q.kinds[UserQuota]; t != nil {
		t.tidy(a.uid)
	}
}

// chargePages takes up to n > 0 pages for the owner and group of an inode and returns how many it got.
func (q *quotas) chargePages(a *access, n int64, by payer) int64 {
	q.lock()
	defer q.unlock()
	now := q.sb.stamp(by.now)
	for kind, t := range q.kinds {
		if t != nil && !by.root {
			n = t.entry(QuotaKind(kind).of(a)).bytes.room(n, t.bytesGrace, now)
		}
	}
	for kind, t := range q.kinds {
		if t != nil && n > 0 {
			t.entry(QuotaKind(kind).of(a)).bytes.add(n<<pageShift, t.bytesGrace, now)
		}
	}
	return n
}

// free gives back what an inode of this owner and group held.
func (q *quotas) free(a *access, inodes, pages int64) {
	q.lock()
	defer q.unlock()
	for kind, t := range q.kinds {
		if t != nil {
			t.free(QuotaKind(kind).of(a), inodes, pages)
		}
	}
}

func (t *quotaTable) free(id uint32, inodes, pages int64) {
	e := t.entry(id)
	e.inodes.sub(inodes)
	e.bytes.sub(pages << pageShift)
	t.tidy(id)
}

// transfer moves the charges of an inode to another owner and group, all or none.
func (q *quotas) transfer(from, to *access, pages int64, by payer) errno {
	q.lock()
	defer q.unlock()
	now := q.sb.stamp(by.now)
	for kind, t := range q.kinds {
		id := QuotaKind(kind).of(to)
		if t == nil || by.root || id == QuotaKind(kind).of(from) {
			continue
		}
		e := t.entry(id)
		if !e.inodes.fits(1, now) || !e.bytes.fits(pages<<pageShift, now) {
			t.tidy(id)
			q.tidyUser(to)
			return syscall.EDQUOT
		}
	}
	for kind, t := range q.kinds {
		was, id := QuotaKind(kind).of(from), QuotaKind(kind).of(to)
		if t == nil || id == was {
			continue
		}
		e := t.entry(id)
		e.inodes.add(1, t.inodesGrace, now)
		e.bytes.add(pages<<pageShift, t.bytesGrace, now)
		t.free(was, 1, pages)
	}
	return ok
}

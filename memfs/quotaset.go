package memfs

import (
	"cmp"
	"iter"
	"os"
	"slices"
	"syscall"
	"time"
)

// QuotaKind says whom a quota limits.
type QuotaKind uint8

const (
	UserQuota  QuotaKind = iota // the owner of files
	GroupQuota                  // the group of files
)

// Quota limits what the files of one user or group may take together: bytes, counted in pages of 4 KiB as st_blocks
// counts them, and inodes, each counted once however many names it has. 0 means no limit. Beyond a hard limit all calls
// fail with EDQUOT. A soft limit may be exceeded for a time of grace, a week unless SetQuotaGrace says otherwise; then it
// is as a hard one until what is used is back at it.
type Quota struct {
	SoftBytes  int64
	HardBytes  int64
	SoftInodes int64
	HardInodes int64
}

// QuotaUsage is what one user or group has, and may have.
type QuotaUsage struct {
	ID uint32 // of the user or group
	Quota
	Bytes  int64
	Inodes int64

	// When the time of grace ends, or has ended; zero if no more than the soft limit is in use.
	BytesGrace  time.Time
	InodesGrace time.Time
}

// quotaGrace is the time of grace, as that of tmpfs.
const quotaGrace = 7 * 24 * 60 * 60 * 1e9

// WithQuota turns quotas of one kind on: what each user, or each group, has is counted, and limited by defaults unless
// SetQuota says otherwise. Negative limits count as 0. Quotas cannot be turned on later. They hold for what is done by
// others than root (user 0), whoever the files belong to, but all is counted. They cost every change of contents, every
// new file and every removed one a lock that the whole file system shares.
func WithQuota(kind QuotaKind, defaults Quota) Option {
	return func(c *config) {
		if kind > GroupQuota {
			return
		}
		defaults.SoftBytes, defaults.HardBytes = max(defaults.SoftBytes, 0), max(defaults.HardBytes, 0)
		defaults.SoftInodes, defaults.HardInodes = max(defaults.SoftInodes, 0), max(defaults.HardInodes, 0)
		c.quotas[kind] = &defaults
	}
}

// table returns the quotas of a kind; ESRCH says, as quotactl(2) does, that they are off.
func (sb *superblock) quotaTable(kind QuotaKind) (*quotaTable, errno) {
	switch {
	case kind > GroupQuota:
		return nil, syscall.EINVAL
	case sb.quotas == nil || sb.quotas.kinds[kind] == nil:
		return nil, syscall.ESRCH
	}
	return sb.quotas.kinds[kind], ok
}

// quotaError wraps e for the caller.
func quotaError(e errno) error {
	if e == ok {
		return nil
	}
	return os.NewSyscallError("quotactl", e)
}

// SetQuota sets the limits of one user or group, which may be below what is used; a time of grace begins anew. Whom the
// view acts as is not asked. Errors are those of quotactl(2): ESRCH if quotas of that kind are off, EINVAL for an unknown
// kind or the id 2^32-1, ERANGE for a negative limit.
func (f *FS) SetQuota(kind QuotaKind, id uint32, limits Quota) error {
	t, e := f.sb.quotaTable(kind)
	if e == ok && id == keepID {
		e = syscall.EINVAL
	}
	if e == ok && min(limits.SoftBytes, limits.HardBytes, limits.SoftInodes, limits.HardInodes) < 0 {
		e = syscall.ERANGE
	}
	if e != ok {
		return quotaError(e)
	}
	now := f.sb.now()
	q := f.sb.quotas
	q.lock()
	defer q.unlock()
	now = f.sb.stamp(now)
	entry := t.entry(id)
	entry.set(limits)
	entry.bytes.restart(t.bytesGrace, now)
	entry.inodes.restart(t.inodesGrace, now)
	t.tidy(id)
	return nil
}

// restart begins the time of grace anew, if there is need for one.
func (c *quotaCount) restart(grace, now int64) {
	c.over = false
	if c.soft > 0 && c.used > c.soft {
		c.startGrace(grace, now)
	}
}

// SetQuotaGrace sets how long soft limits of bytes and of inodes may be exceeded, from the next time on that one is. A
// negative time counts as 0.
func (f *FS) SetQuotaGrace(kind QuotaKind, bytes, inodes time.Duration) error {
	t, e := f.sb.quotaTable(kind)
	if e != ok {
		return quotaError(e)
	}
	f.sb.quotas.lock()
	defer f.sb.quotas.unlock()
	t.bytesGrace, t.inodesGrace = max(int64(bytes), 0), max(int64(inodes), 0)
	return nil
}

// QuotaOf returns what one user or group has and may have. Errors are those of SetQuota.
func (f *FS) QuotaOf(kind QuotaKind, id uint32) (QuotaUsage, error) {
	t, e := f.sb.quotaTable(kind)
	if e == ok && id == keepID {
		e = syscall.EINVAL
	}
	if e != ok {
		return QuotaUsage{}, quotaError(e)
	}
	f.sb.quotas.lock()
	defer f.sb.quotas.unlock()
	if entry := t.ids[id]; entry != nil {
		return entry.usage(id), nil
	}
	return QuotaUsage{ID: id, Quota: t.defaults}, nil
}

// Quotas yields all users or groups that have something, or limits of their own, as they are when the loop begins, by
// ascending id. It yields none if quotas of that kind are off.
func (f *FS) Quotas(kind QuotaKind) iter.Seq[QuotaUsage] {
	return func(yield func(QuotaUsage) bool) {
		t, e := f.sb.quotaTable(kind)
		if e != ok {
			return
		}
		for _, u := range f.sb.quotas.usages(t) {
			if !yield(u) {
				return
			}
		}
	}
}

func (q *quotas) usages(t *quotaTable) []QuotaUsage {
	q.lock()
	defer q.unlock()
	all := make([]QuotaUsage, 0, len(t.ids))
	for id, entry := range t.ids {
		all = append(all, entry.usage(id))
	}
	slices.SortFunc(all, func(a, b QuotaUsage) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (e *quotaEntry) usage(id uint32) QuotaUsage {
	u := QuotaUsage{ID: id, Quota: e.limits(), Bytes: e.bytes.used, Inodes: e.inodes.used}
	if e.bytes.over {
		u.BytesGrace = time.Unix(0, e.bytes.until)
	}
	if e.inodes.over {
		u.InodesGrace = time.Unix(0, e.inodes.until)
	}
	return u
}

package memfs

// quotas compares what is charged to every user and group with what their inodes hold.
func (c *checker) quotas() {
	q := c.sb.quotas
	if q == nil {
		return
	}
	for kind, t := range q.kinds {
		if t != nil {
			c.quotasOf(QuotaKind(kind), q.usages(t))
		}
	}
}

func (c *checker) quotasOf(kind QuotaKind, charged []QuotaUsage) {
	type sum struct{ inodes, pages int64 }
	held := map[uint32]sum{}
	for n := range c.sb.table.all() {
		id := kind.of(n.access.Load())
		s := held[id]
		s.inodes++
		if body := n.data.Load(); body != nil {
			s.pages += body.held.Load()
		}
		held[id] = s
	}
	for _, u := range charged {
		s := held[u.ID]
		if u.Inodes != s.inodes || u.Bytes != s.pages<<pageShift {
			c.failf("quota %d of %d: %d inodes and %d bytes charged, %d and %d in use", kind, u.ID, u.Inodes, u.Bytes,
				s.inodes, s.pages<<pageShift)
		}
		if over := u.SoftBytes > 0 && u.Bytes > u.SoftBytes; over == u.BytesGrace.IsZero() {
			c.failf("quota %d of %d: %d bytes of %d, but the time of grace is %v", kind, u.ID, u.Bytes, u.SoftBytes, u.BytesGrace)
		}
		if over := u.SoftInodes > 0 && u.Inodes > u.SoftInodes; over == u.InodesGrace.IsZero() {
			c.failf("quota %d of %d: %d inodes of %d, but the time of grace is %v", kind, u.ID, u.Inodes, u.SoftInodes, u.InodesGrace)
		}
		delete(held, u.ID)
	}
	for id := range held {
		c.failf("quota %d: nothing is charged to %d, which has inodes", kind, id)
	}
}

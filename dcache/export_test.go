package dcache

import "testing"

// narrow makes the hash of an empty cache depend on its top bits only, or on
// none at all. It fails the test if the bad hash is not in force.
func (c *Cache[V]) narrow(t *testing.T, bits uint) {
	t.Helper()
	c.hash.mask = ^uint32(0) << (32 - bits)
	different := make(map[uint32]bool)
	for dir := range uint64(1000) {
		different[c.hash.sum(dir, "name")] = true
	}
	if len(different) != 1<<bits {
		t.Fatalf("a hash of %d bits has %d values", bits, len(different))
	}
}

// buckets returns the present size of the table.
func (c *Cache[V]) buckets() int { return len(c.table.Load().buckets) }

// mustCheck fails the test if an invariant or a bound is broken.
func (c *Cache[V]) mustCheck(t *testing.T) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	st := c.Stats()
	if st.Entries > st.Limit || st.Negative > st.Limit/8 || st.Entries != c.Len() {
		t.Fatalf("out of bounds: %+v, Len %d", st, c.Len())
	}
}

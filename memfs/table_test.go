package memfs

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// chunksInUse counts the chunks that a table holds.
func (t *inodeTable) chunksInUse() int {
	n := 0
	for i := range *t.chunks.Load() {
		if (*t.chunks.Load())[i].Load() != nil {
			n++
		}
	}
	return n
}

// A table forgets what is gone, gives its chunks back, and never gives a number out twice.
func TestTableGivesBack(t *testing.T) {
	f := New(WithCred(Cred{}))
	table := &f.sb.table
	const files = 3 * chunkSize
	last := uint64(0)
	for round := range 3 {
		var numbers []uint64
		for i := range files {
			path := fmt.Sprintf("/f%d", i)
			if err := f.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			var st Stat
			if err := f.StatInto(path, &st); err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, st.Ino)
		}
		if !slices.IsSorted(numbers) || numbers[0] <= last {
			t.Fatalf("round %d: numbers from %d on, the last one was %d", round, numbers[0], last)
		}
		last = numbers[files-1]
		if n := table.chunksInUse(); n < 3 || n > 5 {
			t.Errorf("%d chunks for %d files", n, files)
		}
		for i, ino := range numbers {
			if n := table.get(ino); n == nil || n.ino != ino {
				t.Fatalf("number %d leads to %v", ino, n)
			}
			if err := f.Remove(fmt.Sprintf("/f%d", i)); err != nil {
				t.Fatal(err)
			}
			if table.get(ino) != nil {
				t.Fatalf("number %d of a removed file leads somewhere", ino)
			}
		}
		if n := table.chunksInUse(); n > 2 {
			t.Errorf("%d chunks are left for the root alone", n)
		}
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

// Numbers that are taken, set and retired by several at once lead to their own inode, or to none.
func TestTableTogether(t *testing.T) {
	var table inodeTable
	var group sync.WaitGroup
	for member := range 4 {
		group.Go(func() {
			var mine []*inode
			for i := range 3 * chunkSize {
				n := table.alloc(i%7 == member)
				if i%5 != 0 { // some never become visible
					table.set(n)
				}
				mine = append(mine, n)
				if len(mine) < 20 {
					continue
				}
				old := mine[0]
				mine = mine[1:]
				if found := table.get(old.ino); found != old && found != nil {
					t.Errorf("number %d leads to inode %d", old.ino, found.ino)
				}
				table.retire(old.ino)
			}
			for _, n := range mine {
				table.retire(n.ino)
			}
		})
	}
	group.Wait()
	for n := range table.all() {
		t.Errorf("inode %d is left", n.ino)
	}
	if n := table.chunksInUse(); n > 1 {
		t.Errorf("%d chunks are left", n)
	}
}

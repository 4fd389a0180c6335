package rbdir_test

import (
	"fmt"

	"stagefs/rbdir"
)

func Example() {
	hash := rbdir.NewHasher(1)
	var dir rbdir.Dir[int]
	dir.Init(2) // its inode number

	var c rbdir.Change[int]
	for i, name := range []string{"passwd", "group", "hosts"} {
		h := hash.Sum(name)
		c.Add(&dir, h)
		c.Begin()
		if _, err := dir.Insert(h, name, 100+i); err != nil {
			fmt.Println(err)
		}
		c.End()
	}

	ino, ok := dir.Get(hash.Sum("group"), "group")
	fmt.Println(ino, ok, dir.Len())

	// A listing in pages of two; the cookie is the last key of a page.
	n := 0
	for page := dir.Batch(nil, 0, 2); len(page) > 0; page = dir.Batch(nil, page[len(page)-1].Key, 2) {
		n += len(page)
	}
	fmt.Println(n)
	// Output:
	// 101 true 3
	// 3
}

// A rename takes both names at once. The new name comes before the old one
// goes, and onto a name that is there only the payload moves.
func ExampleChange() {
	hash := rbdir.NewHasher(1)
	var from, to rbdir.Dir[int]
	from.Init(2)
	to.Init(3)
	hOld, hNew := hash.Sum("old"), hash.Sum("new")

	var c rbdir.Change[int]
	c.Add(&from, hOld)
	c.Begin()
	_, _ = from.Insert(hOld, "old", 7) // an empty directory has room
	c.End()

	c.Add(&from, hOld)
	c.Add(&to, hNew)
	c.Begin()
	if e, ok := from.Find(hOld, "old"); ok {
		var err error
		if _, ok := to.Replace(hNew, "new", e.Value); !ok {
			_, err = to.Insert(hNew, "new", e.Value)
		}
		if err == nil {
			from.Delete(hOld, "old")
		}
	}
	c.End()

	fmt.Println(from.Len(), to.Len())
	fmt.Println(to.Get(hNew, "new"))
	// Output:
	// 0 1
	// 7 true
}

package memfs

import (
	"os"
	"slices"
)

// Cred is who asks: the user and groups that permission checks look at, and that own what is created. User 0 is root
// and passes every check, as a process with all capabilities does.
type Cred struct {
	Uid    uint32
	Gid    uint32
	Groups []uint32 // supplementary groups
}

// nobody stands in for the ids of a system that has none.
const nobody = 1000

// ProcessCred returns the user and groups of this process; where the system has none, user and group 1000.
func ProcessCred() Cred {
	id := func(n int) uint32 {
		if n < 0 {
			return nobody
		}
		return uint32(n)
	}
	c := Cred{Uid: id(os.Geteuid()), Gid: id(os.Getegid())}
	groups, err := os.Getgroups()
	if err != nil {
		return c // a system without groups
	}
	for _, g := range groups {
		c.Groups = append(c.Groups, id(g))
	}
	return c
}

// clone makes c independent of the caller's slice.
func (c Cred) clone() *Cred {
	c.Groups = slices.Clone(c.Groups)
	return &c
}

// root reports whether c has root's capabilities.
func (c *Cred) root() bool { return c.Uid == 0 }

// in reports whether c belongs to group gid.
func (c *Cred) in(gid uint32) bool {
	return c.Gid == gid || slices.Contains(c.Groups, gid)
}

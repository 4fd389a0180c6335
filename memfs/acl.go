package memfs

import (
	"encoding/binary"
	"syscall"
)

// POSIX access control lists, as in POSIX 1003.1e draft 17 and Linux's fs/posix_acl.c, whose names and rules these are.

// Kinds of ACL entries. A list has its entries in this order.
const (
	aclUserObj  = 0x01 // the owner
	aclUser     = 0x02 // a user by id
	aclGroupObj = 0x04 // the owning group
	aclGroup    = 0x08 // a group by id
	aclMask     = 0x10 // the most that named users and all groups get
	aclOther    = 0x20 // everybody else
)

// aclEntry is one line of an ACL.
type aclEntry struct {
	tag  uint16
	perm uint16
	id   uint32 // of a named user or group
}

// posixACL is a list of entries; nil is none. It is immutable once it belongs to an inode.
type posixACL []aclEntry

// The binary format of the attributes system.posix_acl_*: a version, then 8 bytes for each entry, little endian.
const (
	aclVersion   = 2
	aclHeader    = 4
	aclEntrySize = 8
	aclNoID      = ^uint32(0)
)

// parseACL reads the binary format. A list without entries is nil.
func parseACL(b []byte) (posixACL, errno) {
	switch {
	case len(b) == 0:
		return nil, ok
	case len(b) < aclHeader:
		return nil, syscall.EINVAL
	case binary.LittleEndian.Uint32(b) != aclVersion:
		return nil, syscall.EOPNOTSUPP
	case len(b)%aclEntrySize != aclHeader:
		return nil, syscall.EINVAL
	case len(b) == aclHeader:
		return nil, ok
	}
	acl := make(posixACL, 0, len(b)/aclEntrySize)
	for b = b[aclHeader:]; len(b) > 0; b = b[aclEntrySize:] {
		entry := aclEntry{tag: binary.LittleEndian.Uint16(b), perm: binary.LittleEndian.Uint16(b[2:])}
		switch entry.tag {
		case aclUserObj, aclGroupObj, aclMask, aclOther:
		case aclUser, aclGroup:
			if entry.id = binary.LittleEndian.Uint32(b[4:]); entry.id == aclNoID {
				return nil, syscall.EINVAL
			}
		default:
			return nil, syscall.EINVAL
		}
		acl = append(acl, entry)
	}
	return acl, ok
}

// bytes is the binary format of the list.
func (acl posixACL) bytes() []byte {
	b := make([]byte, 0, aclHeader+aclEntrySize*len(acl))
	b = binary.LittleEndian.AppendUint32(b, aclVersion)
	for _, entry := range acl {
		id := aclNoID
		if entry.tag == aclUser || entry.tag == aclGroup {
			id = entry.id
		}
		b = binary.LittleEndian.AppendUint16(b, entry.tag)
		b = binary.LittleEndian.AppendUint16(b, entry.perm)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return b
}

// valid reports whether the entries are in order, those that each list has are there once, and the mask is not missing.
// A user or group may be named twice; the first entry counts.
func (acl posixACL) valid() bool {
	want, named := uint16(aclUserObj), false // what comes next; of what may be repeated, what is allowed now
	for _, entry := range acl {
		if entry.perm&^7 != 0 {
			return false
		}
		switch tag := entry.tag; {
		case tag == aclUserObj && want == aclUserObj:
			want = aclUser
		case tag == aclUser && want == aclUser:
			named = true
		case tag == aclGroupObj && want == aclUser:
			want = aclGroup
		case tag == aclGroup && want == aclGroup:
			named = true
		case tag == aclMask && want == aclGroup:
			want = aclOther
		case tag == aclOther && (want == aclOther || want == aclGroup && !named):
			want = 0
		default:
			return false
		}
	}
	return want == 0
}

// mode returns the permission bits that stand for the list, and whether they say all that it does.
func (acl posixACL) mode() (bits uint32, all bool) {
	all = true
	for _, entry := range acl {
		perm := uint32(entry.perm)
		switch entry.tag {
		case aclUserObj:
			bits |= perm << 6
		case aclGroupObj:
			bits |= perm << 3
		case aclMask:
			bits, all = bits&^0o070|perm<<3, false
		case aclOther:
			bits |= perm
		default:
			all = false
		}
	}
	return bits, all
}

// find returns the place of the entry of a kind that a list has once; -1 if it has none.
func (acl posixACL) find(tag uint16) int {
	for i := range acl {
		if acl[i].tag == tag {
			return i
		}
	}
	return -1
}

// class returns the place of the entry that the group bits of the mode stand for.
func (acl posixACL) class() int {
	if i := acl.find(aclMask); i >= 0 {
		return i
	}
	return acl.find(aclGroupObj)
}

// chmod returns the list for a file whose permission bits are set.
func (acl posixACL) chmod(perm uint32) posixACL {
	changed := append(posixACL(nil), acl...)
	changed[changed.find(aclUserObj)].perm = uint16(perm >> 6 & 7)
	changed[changed.class()].perm = uint16(perm >> 3 & 7)
	changed[changed.find(aclOther)].perm = uint16(perm & 7)
	return changed
}

// forNew returns the list that a new file gets from this, its directory's default one, and the file's mode: the creator
// gets no more than he has asked for.
func (acl posixACL) forNew(mode uint32) (posixACL, uint32) {
	made := append(posixACL(nil), acl...)
	limit := func(i int, shift uint32) {
		made[i].perm &= uint16(mode >> shift & 7)
		mode = mode&^(7<<shift) | uint32(made[i].perm)<<shift
	}
	limit(made.find(aclUserObj), 6)
	limit(made.class(), 3)
	limit(made.find(aclOther), 0)
	return made, mode
}

// permits is the kernel's posix_acl_permission: whether c, who is not the owner of a file with access a, may do what
// is wanted. A named user has what his entry and the mask say. Of the entries for groups one that has all that is wanted
// is enough; who belongs to one of them gets nothing from the last entry.
func (acl posixACL) permits(c *Cred, a *access, want uint32) bool {
	member := false
	for _, entry := range acl {
		has := want&^uint32(entry.perm) == 0
		switch entry.tag {
		case aclUser:
			if entry.id == c.Uid {
				return has && acl.unmasked(want)
			}
		case aclGroupObj, aclGroup:
			gid := entry.id
			if entry.tag == aclGroupObj {
				gid = a.gid
			}
			if c.in(gid) {
				if member = true; has {
					return acl.unmasked(want)
				}
			}
		case aclOther:
			return has && !member
		}
	}
	return false
}

// unmasked reports whether the mask leaves what is wanted.
func (acl posixACL) unmasked(want uint32) bool {
	i := acl.find(aclMask)
	return i < 0 || want&^uint32(acl[i].perm) == 0
}

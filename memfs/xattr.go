package memfs

import (
	"bytes"
	"encoding/binary"
	"strings"
	"syscall"
)

// XattrFlags say what Setxattr does with an attribute that is there already, or is not. They have Linux's values.
type XattrFlags int

const (
	XattrCreate  XattrFlags = 1 // fail with EEXIST if the attribute exists
	XattrReplace XattrFlags = 2 // fail with ENODATA if it does not
)

const (
	xattrNameMax = 255     // bytes in a name, its namespace counted
	xattrSizeMax = 1 << 16 // bytes in a value
	xattrListMax = 1 << 16 // bytes in all names, a NUL behind each
)

// Namespaces and names with rules of their own.
const (
	xattrUser       = "user."
	xattrTrusted    = "trusted."
	xattrSecurity   = "security."
	xattrSystem     = "system."
	xattrCaps       = "security.capability"
	xattrACL        = "system.posix_acl_access"
	xattrDefaultACL = "system.posix_acl_default"
)

// checkXattrName is what the kernel says to a name before it looks at the path.
func checkXattrName(name string) errno {
	switch {
	case strings.IndexByte(name, 0) >= 0:
		return syscall.EINVAL
	case name == "" || len(name) > xattrNameMax:
		return syscall.ERANGE
	}
	return ok
}

// checkXattr is checkXattrName for all that is given to Setxattr.
func checkXattr(name string, value []byte, flags XattrFlags) errno {
	if strings.IndexByte(name, 0) >= 0 || flags&^(XattrCreate|XattrReplace) != 0 {
		return syscall.EINVAL
	}
	if e := checkXattrName(name); e != ok {
		return e
	}
	if len(value) > xattrSizeMax {
		return syscall.E2BIG
	}
	return ok
}

// mayXattr is the kernel's xattr_permission: whether c may read or write the attribute, as far as its namespace says.
func (c *Cred) mayXattr(a *access, name string, want uint32) errno {
	refused := errno(errNoData)
	if want == mayWrite {
		refused = syscall.EPERM
	}
	switch {
	case strings.HasPrefix(name, xattrSecurity), strings.HasPrefix(name, xattrSystem):
		return ok
	case strings.HasPrefix(name, xattrTrusted):
		if !c.root() {
			return refused
		}
		return ok
	case strings.HasPrefix(name, xattrUser):
		if !a.isDir() && !a.isRegular() {
			return refused
		}
		if a.isDir() && a.mode&modeSticky != 0 && want == mayWrite && !c.owns(a) {
			return refused
		}
	}
	if !c.may(a, want) {
		return syscall.EACCES
	}
	return ok
}

// storable refuses names of other namespaces than tmpfs has, and those that are nothing but a namespace.
func storable(name string) errno {
	for _, prefix := range []string{xattrUser, xattrTrusted, xattrSecurity} {
		switch {
		case name == prefix:
			return syscall.EINVAL
		case strings.HasPrefix(name, prefix):
			return ok
		}
	}
	return syscall.EOPNOTSUPP
}

// getxattr returns an attribute.
func (f *FS) getxattr(n *inode, name string) ([]byte, errno) {
	a := n.access.Load()
	x := a.extras()
	if name == xattrACL || name == xattrDefaultACL {
		return getACL(a, &x, name)
	}
	if e := f.cred.mayXattr(a, name, mayRead); e != ok {
		return nil, e
	}
	if e := storable(name); e != ok {
		return nil, e
	}
	at, found := x.find(name)
	if !found {
		return nil, errNoData
	}
	if name == xattrCaps {
		return readCaps(x.attrs[at].value)
	}
	return append([]byte{}, x.attrs[at].value...), ok
}

// listxattr returns the names of all attributes that the user may know of, in the kernel's order.
func (f *FS) listxattr(n *inode) ([]string, errno) {
	x := n.access.Load().extras()
	names := make([]string, 0, 2+len(x.attrs))
	if x.acl != nil {
		names = append(names, xattrACL)
	}
	if x.inherit != nil {
		names = append(names, xattrDefaultACL)
	}
	for i := range x.attrs {
		if f.cred.root() || !strings.HasPrefix(x.attrs[i].name, xattrTrusted) {
			names = append(names, x.attrs[i].name)
		}
	}
	size := 0
	for _, name := range names {
		size += len(name) + 1
	}
	if size > xattrListMax {
		return nil, syscall.E2BIG
	}
	return names, ok
}

// setxattr sets an attribute; what was given has passed checkXattr.
func (f *FS) setxattr(n *inode, name string, value []byte, flags XattrFlags) errno {
	if name == xattrACL || name == xattrDefaultACL {
		acl, e := parseACL(value)
		if e != ok {
			return e
		}
		return f.setACL(n, name, acl)
	}
	if name == xattrCaps && len(value) > 0 {
		if capsVersion(value) == 0 {
			return syscall.EINVAL
		}
		if !f.cred.root() {
			return syscall.EPERM
		}
	}
	set := xattr{strings.Clone(name), append([]byte{}, value...)}
	return f.changeXattr(n, name, &set, flags)
}

// removexattr removes an attribute.
func (f *FS) removexattr(n *inode, name string) errno {
	if name == xattrACL || name == xattrDefaultACL {
		return f.setACL(n, name, nil)
	}
	return f.changeXattr(n, name, nil, XattrReplace)
}

// changeXattr sets or, if set is nil, removes an attribute. An inode that is gone already, as the removed directory that
// somebody stands in, is changed but not charged: what it had was given back.
func (f *FS) changeXattr(n *inode, name string, set *xattr, flags XattrFlags) errno {
	sb, now := f.sb, f.sb.now()
	counted := n.get()
	if counted {
		defer sb.put(n)
	}
	n.lock()
	defer n.unlock()
	now = sb.stamp(now)
	a := *n.access.Load()
	if e := f.cred.mayXattr(&a, name, mayWrite); e != ok {
		return e
	}
	if strings.HasPrefix(name, xattrSecurity) && !f.cred.root() && (name != xattrCaps || set == nil) {
		return syscall.EPERM
	}
	if e := storable(name); e != ok {
		return e
	}
	x := a.extras()
	at, found := x.find(name)
	space := int64(0)
	if set != nil && counted {
		space = xattrSpace(name, set.value)
	}
	if !sb.limits.chargeSpace(space) { // before anything is compared, and before the old value is given back, as on tmpfs
		return syscall.ENOSPC
	}
	switch {
	case found && flags&XattrCreate != 0:
		sb.limits.freeSpace(space)
		return syscall.EEXIST
	case !found && flags&XattrReplace != 0:
		sb.limits.freeSpace(space)
		return errNoData
	}
	if found && counted {
		was := xattrSpace(name, x.attrs[at].value)
		sb.limits.freeSpace(was)
		space -= was
	}
	x.space += space
	if set != nil {
		x.attrs = x.with(at, found, *set)
	} else {
		x.attrs = x.without(at)
	}
	a.setExtras(x)
	sb.changeAccess(n, a, now)
	return ok
}

// dropCaps takes the attribute security.capability away, which does not outlive a change of contents or owner. It returns
// what is to be given back once a is published: nothing unless the caller has a reference on the inode, as counted says.
func (a *access) dropCaps(counted bool) (space int64) {
	if a.mode&modeHasCaps == 0 {
		return 0
	}
	x := a.extras()
	at, _ := x.find(xattrCaps)
	if counted {
		space = xattrSpace(xattrCaps, x.attrs[at].value)
		x.space -= space
	}
	x.attrs = x.without(at)
	a.setExtras(x)
	return space
}

// getACL returns an ACL in its binary format; everybody may read it.
func getACL(a *access, x *extras, name string) ([]byte, errno) {
	acl := x.acl
	if name == xattrDefaultACL {
		acl = nil
		if x.inherit != nil {
			acl = x.inherit.acl
		}
	}
	switch {
	case a.mode&modeType == modeSymlink:
		return nil, syscall.EOPNOTSUPP
	case acl == nil:
		return nil, errNoData
	}
	return acl.bytes(), ok
}

// setACL sets or, if acl is nil, removes an ACL. The access ACL sets the permission bits, too; where they say it all there
// is no ACL afterwards.
func (f *FS) setACL(n *inode, name string, acl posixACL) errno {
	now := f.sb.now()
	n.lock()
	defer n.unlock()
	now = f.sb.stamp(now)
	a := *n.access.Load()
	switch {
	case a.mode&modeType == modeSymlink:
		return syscall.EOPNOTSUPP
	case name == xattrDefaultACL && !a.isDir():
		if acl == nil {
			return ok
		}
		return syscall.EACCES
	case !f.cred.owns(&a):
		return syscall.EPERM
	case acl != nil && !acl.valid():
		return syscall.EINVAL
	}
	x := a.extras()
	if name == xattrDefaultACL {
		x.inherit = nil
		if acl != nil {
			x.inherit = &defaultACL{acl: acl}
		}
	} else {
		if acl != nil {
			bits, all := acl.mode()
			a.mode = a.mode&^0o777 | bits
			if all {
				acl = nil
			}
		}
		if !f.cred.root() && !f.cred.in(a.gid) {
			a.mode &^= modeSetgid
		}
		x.acl = acl
	}
	a.setExtras(x)
	f.sb.changeAccess(n, a, now)
	return ok
}

// Capabilities of a file: 20 bytes, or 24 with the user who is root where they count. The first word has the version in
// its upper byte.
const (
	capsSize2    = 20
	capsSize3    = 24
	capsVersion2 = 0x02000000
	capsVersion3 = 0x03000000
	capsFlag     = 1
)

// capsVersion returns the version of file capabilities, 0 if they are none.
func capsVersion(value []byte) uint32 {
	if len(value) != capsSize2 && len(value) != capsSize3 {
		return 0
	}
	version := binary.LittleEndian.Uint32(value) &^ capsFlag
	if len(value) == capsSize2 && version == capsVersion2 || len(value) == capsSize3 && version == capsVersion3 {
		return version
	}
	return 0
}

// readCaps returns file capabilities as they are read: those for user 0 have version 2.
func readCaps(value []byte) ([]byte, errno) {
	switch capsVersion(value) {
	case 0:
		return nil, syscall.EINVAL
	case capsVersion3:
		if binary.LittleEndian.Uint32(value[capsSize2:]) == 0 {
			value = bytes.Clone(value[:capsSize2])
			binary.LittleEndian.PutUint32(value, capsVersion2|binary.LittleEndian.Uint32(value)&capsFlag)
			return value, ok
		}
	}
	return bytes.Clone(value), ok
}

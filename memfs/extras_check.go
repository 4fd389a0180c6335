package memfs

import "strings"

// extras checks what an inode has besides mode and owner, and returns the bytes that are charged for it.
func (c *checker) extras(n *inode) int64 {
	a := n.access.Load()
	x := a.extras()
	has := a.mode &^ modeShown
	if want := a.withExtras(x).mode &^ modeShown; has != want {
		c.failf("inode %d: bits %o, has %o", n.ino, has, want)
	}
	if x.acl != nil {
		c.acl(n, a, x.acl)
	}
	if x.inherit != nil && (!a.isDir() || !x.inherit.acl.valid()) {
		c.failf("inode %d, mode %o: default ACL %v", n.ino, a.mode, x.inherit.acl)
	}
	if a.mode&modeType == modeSymlink && (x.acl != nil || x.inherit != nil) {
		c.failf("link %d has an ACL", n.ino)
	}
	space := int64(0)
	for i, attr := range x.attrs {
		if i > 0 && attr.name >= x.attrs[i-1].name {
			c.failf("inode %d: attribute %q after %q", n.ino, attr.name, x.attrs[i-1].name)
		}
		if checkXattr(attr.name, attr.value, 0) != ok || storable(attr.name) != ok {
			c.failf("inode %d: attribute %q of %d bytes", n.ino, attr.name, len(attr.value))
		}
		if strings.HasPrefix(attr.name, xattrUser) && !a.isDir() && !a.isRegular() {
			c.failf("inode %d, mode %o: attribute %q", n.ino, a.mode, attr.name)
		}
		space += xattrSpace(attr.name, attr.value)
	}
	if x.space != space {
		c.failf("inode %d: %d bytes of attributes counted, %d there", n.ino, x.space, space)
	}
	return x.space
}

// acl checks an access ACL against the mode.
func (c *checker) acl(n *inode, a *access, acl posixACL) {
	if !acl.valid() {
		c.failf("inode %d: ACL %v", n.ino, acl)
		return
	}
	if bits, all := acl.mode(); all || bits != a.mode&0o777 {
		c.failf("inode %d: mode %o, ACL %v", n.ino, a.mode, acl)
	}
}

// withExtras returns a with other extras.
func (a access) withExtras(x extras) access {
	a.setExtras(x)
	return a
}

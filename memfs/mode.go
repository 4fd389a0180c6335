package memfs

import "io/fs"

// Mode bits as Linux has them in st_mode; the same on every platform, so that behaviour is too.
const (
	modeType    = 0o170000
	modeSocket  = 0o140000
	modeSymlink = 0o120000
	modeRegular = 0o100000
	modeBlock   = 0o060000
	modeDir     = 0o040000
	modeChar    = 0o020000
	modeFifo    = 0o010000

	modeSetuid = 0o4000
	modeSetgid = 0o2000
	modeSticky = 0o1000
	modePerm   = 0o7777 // all that chmod can change
	modeExec   = 0o111
)

// Bits beyond st_mode, which only an access has: what it has besides mode and owner. modeShown are all others.
const (
	modeHasACL  = 1 << 16 // an access ACL
	modeHasCaps = 1 << 17 // the attribute security.capability

	modeLinkable = 1 << 18 // no name yet, but may get one: a file of O_TMPFILE

	modeShown = modeType | modePerm
)

// permBits turns the permission part of an fs.FileMode into mode bits, as os does before it calls the kernel: all other
// bits are ignored.
func permBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= modeSetuid
	}
	if m&fs.ModeSetgid != 0 {
		bits |= modeSetgid
	}
	if m&fs.ModeSticky != 0 {
		bits |= modeSticky
	}
	return bits
}

// fileMode turns mode bits into an fs.FileMode.
func fileMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	switch bits & modeType {
	case modeDir:
		m |= fs.ModeDir
	case modeSymlink:
		m |= fs.ModeSymlink
	case modeFifo:
		m |= fs.ModeNamedPipe
	case modeSocket:
		m |= fs.ModeSocket
	case modeBlock:
		m |= fs.ModeDevice
	case modeChar:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if bits&modeSetuid != 0 {
		m |= fs.ModeSetuid
	}
	if bits&modeSetgid != 0 {
		m |= fs.ModeSetgid
	}
	if bits&modeSticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

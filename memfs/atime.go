package memfs

// Atime says when reading a file, listing a directory or following a symbolic link sets its access time.
type Atime uint8

const (
	// AtimeRelative, the default, is the mount option relatime: only if the access time is not newer than the last
	// change, or a day old. So a file that is read again and again is not written to.
	AtimeRelative Atime = iota
	AtimeStrict         // strictatime: always
	AtimeNever          // noatime: never
)

// WithAtime sets when access times change. Values out of range count as AtimeRelative.
func WithAtime(a Atime) Option {
	return func(c *config) {
		if a > AtimeNever {
			a = AtimeRelative
		}
		c.atime = a
	}
}

// WithDirAtime tells whether listing a directory sets its access time, by the rule of WithAtime; the default is true.
// False is the mount option nodiratime.
func WithDirAtime(on bool) Option { return func(c *config) { c.noDirAtime = !on } }

// relatimeAge is the age in seconds from which on an access time is renewed although nothing changed.
const relatimeAge = 24 * 60 * 60

// accessed renews the access time by the rule of the file system.
func (sb *superblock) accessed(n *inode) {
	if sb.atime == AtimeNever || sb.noDirAtime && n.isDir() {
		return
	}
	now := sb.now()
	if sb.atime == AtimeRelative {
		stamp, last := sb.stamp(now), n.atime.Load()
		if last > n.mtime.Load() && last > n.ctime.Load() && seconds(stamp)-seconds(last) < relatimeAge {
			return
		}
	}
	n.lock()
	n.atime.Store(sb.stamp(now))
	n.unlock()
}

// seconds returns the whole seconds of a time in nanoseconds, as the kernel counts them.
func seconds(ns int64) int64 {
	s := ns / 1e9
	if ns%1e9 < 0 {
		s--
	}
	return s
}

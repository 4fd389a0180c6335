//go:build darwin || freebsd

package memfs

import "syscall"

func sysStat(st *Stat) any {
	t := &syscall.Stat_t{
		Ino: st.Ino, Uid: st.Uid, Gid: st.Gid, Size: st.Size, Blocks: st.Blocks,
		Atimespec:     syscall.NsecToTimespec(st.Atime),
		Mtimespec:     syscall.NsecToTimespec(st.Mtime),
		Ctimespec:     syscall.NsecToTimespec(st.Ctime),
		Birthtimespec: syscall.NsecToTimespec(st.Btime),
	}
	setInt(&t.Dev, st.Dev)
	setInt(&t.Rdev, st.Rdev)
	setInt(&t.Mode, uint64(st.Mode))
	setInt(&t.Nlink, uint64(st.Nlink))
	setInt(&t.Blksize, uint64(st.Blksize))
	return t
}

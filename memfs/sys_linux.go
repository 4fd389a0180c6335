package memfs

import "syscall"

func sysStat(st *Stat) any {
	t := &syscall.Stat_t{
		Ino: st.Ino, Mode: st.Mode, Uid: st.Uid, Gid: st.Gid, Size: st.Size, Blocks: st.Blocks,
		Atim: syscall.NsecToTimespec(st.Atime),
		Mtim: syscall.NsecToTimespec(st.Mtime),
		Ctim: syscall.NsecToTimespec(st.Ctime),
	}
	setInt(&t.Dev, st.Dev)
	setInt(&t.Rdev, st.Rdev)
	setInt(&t.Nlink, uint64(st.Nlink))
	setInt(&t.Blksize, uint64(st.Blksize))
	return t
}

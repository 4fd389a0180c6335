//go:build !linux && !darwin && !freebsd

package memfs

// sysStat returns a copy that belongs to the caller: this system has no Stat_t that all its programs know.
func sysStat(st *Stat) any {
	c := *st
	return &c
}

package memfs

import (
	"sync/atomic"
	"unsafe"
)

// Plain stores to atomic fields of an inode that nobody else can see yet: it becomes visible by an atomic store of its
// address. An atomic store is a locked instruction on most machines, and a new inode has seven of these fields.

func initInt64(field *atomic.Int64, v int64)    { *(*int64)(unsafe.Pointer(field)) = v }
func initInt32(field *atomic.Int32, v int32)    { *(*int32)(unsafe.Pointer(field)) = v }
func initUint32(field *atomic.Uint32, v uint32) { *(*uint32)(unsafe.Pointer(field)) = v }
func initAccess(field *atomic.Pointer[access], v *access) {
	*(*unsafe.Pointer)(unsafe.Pointer(field)) = unsafe.Pointer(v)
}

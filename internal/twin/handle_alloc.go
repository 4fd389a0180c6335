//go:build linux

package twin

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Allocator are calls of which package os knows nothing. Every [System] of the worlds here has them.
type Allocator interface {
	Allocate(f File, mode uint32, off, length int64) error
	CopyRange(dst File, dstOff int64, src File, srcOff, length int64) (int64, error)
}

// Allocate calls fallocate.
func (h *Handle) Allocate(mode uint32, off, length int64) {
	if h.f != nil {
		h.done(h.t.sys.(Allocator).Allocate(h.f, mode, off, length), "Allocate(%#x, %d, %d)", mode, off, length)
	}
}

// CopyRange calls copy_file_range from h to another handle.
func (h *Handle) CopyRange(off int64, to *Handle, toOff, length int64) {
	if h.f != nil && to.f != nil {
		n, err := h.t.sys.(Allocator).CopyRange(to.f, toOff, h.f, off, length)
		h.count(n, err, "CopyRange(%d, %s, %d, %d)", off, to.id, toOff, length)
	}
}

// Extents writes down the size, the blocks and where there is data.
func (h *Handle) Extents() {
	if h.f == nil {
		return
	}
	fi, err := h.f.Stat()
	h.t.must(err)
	line := h.t.info(fi)
	for off := int64(0); ; {
		data, err := h.f.Seek(off, unix.SEEK_DATA)
		if err != nil {
			line += " " + h.t.errText(err)
			break
		}
		if off, err = h.f.Seek(data, unix.SEEK_HOLE); err != nil {
			line += " " + h.t.errText(err)
			break
		}
		line += fmt.Sprintf(" [%d,%d)", data, off)
	}
	h.logf("extents: %s", line)
}

package memfs

import (
	"math"
	"math/bits"
)

// unknownMemory stands in for the size of a memory that the system does not tell.
const unknownMemory = 4 << 30

// memoryPages returns how many pages of 4 KiB this machine's memory has.
func memoryPages() uint64 {
	bytes := systemMemory()
	if bytes == 0 {
		bytes = unknownMemory
	}
	return bytes >> pageShift
}

// percentPages returns the pages that are a part of this machine's memory, rounded up as tmpfs does.
func percentPages(percent uint64) int64 {
	hi, lo := bits.Mul64(percent, memoryPages())
	if hi >= 100 {
		return math.MaxInt64
	}
	pages, rest := bits.Div64(hi, lo, 100)
	if rest > 0 {
		pages++
	}
	return int64(min(pages, math.MaxInt64))
}

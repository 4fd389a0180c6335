package memfs

// Open flags that only Linux has, with its values.
const (
	flagTmpFile = 1 << 22
	flagPath    = 1 << 21
	flagNoAtime = 1 << 18
)

package memfs

// SetDefaultDcache sets how many dentries the file systems of tests cache that do not say it themselves.
func SetDefaultDcache(entries int) { defaultDcache = entries }

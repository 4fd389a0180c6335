package memfs

import "math/rand/v2"

// The beginning of a walk, which for most walks is all of it: what the stage and the dentry cache know.

// quick takes the steps that need no more than the stage and the dentry cache know. It returns the last directory, where
// the last name begins and what bears it; or no inode, and where the walk has to go on.
func (w *walker) quick(dir *inode, path string, at int, flags walkFlags, readable bool) (*inode, int, *inode) {
	sb := w.fs.sb
	if len(path) >= pathMax {
		return dir, at, nil
	}
	if sb.stage != nil {
		if pool := sb.stage.Pool(); pool != nil {
			var n *inode
			if dir, at, n = w.skip(pool, dir, path, at, readable); n != nil {
				return dir, at, n
			}
		}
	} else if sb.paths != nil && !readable {
		var n *inode
		if dir, at, n = w.wholePath(dir, path, at, flags); n != nil {
			return dir, at, n
		}
	}
	if sb.cache == nil {
		return dir, at, nil
	}
	return w.glide(dir, path, at, readable)
}

// glide takes the plain steps at the beginning of a path: names that the cache knows, one slash between them, every
// directory searchable. It returns where it stands and what is left of the path, for resolve to go on with whatever
// stopped it; or the inode itself, if the plain steps led to the end and that is no symbolic link. It is apart from
// resolve because so little has to be kept at hand here.
func (w *walker) glide(dir *inode, path string, at int, readable bool) (*inode, int, *inode) {
	cache, cred := w.fs.sb.cache, w.fs.cred
	for at < len(path) && path[at] != '/' {
		end := nameEnd(path, at)
		if path[at] == '.' && (end-at == 1 || end-at == 2 && path[at+1] == '.') {
			break
		}
		if end < len(path) && (end+1 == len(path) || path[end+1] == '/') || !cred.maySearch(dir.access.Load()) {
			break
		}
		child, known := cache.Get(dir.ino, path[at:end])
		if child == nil {
			w.missed = !known
			break
		}
		if end == len(path) {
			if child.dir == nil && child.isSymlink() {
				break
			}
			w.hits++
			return dir, at, child
		}
		if child.dir == nil || readable && !cred.may(child.access.Load(), mayRead) {
			break
		}
		dir, at = child, end+1
		w.hits++
	}
	return dir, at, nil
}

// countPlace is count for a walk that ended with e, at p if that is no error. A walk that did not come to the directory
// of its last name has no target.
func (w *walker) countPlace(p *place, e errno) {
	if e == ok {
		w.count(p.child, p.dir)
	} else {
		w.count(nil, nil)
	}
}

// count tells the cache and the stage, for one walk in many, what this one has found in dir: n, nil for nothing.
func (w *walker) count(n, dir *inode) {
	if rand.Uint32()&w.fs.sb.sample == 0 {
		w.counted(n, dir)
	}
}

func (w *walker) counted(n, dir *inode) {
	sb := w.fs.sb
	if sb.cache != nil {
		sb.cache.CountHits(uint64(w.hits) * uint64(sb.sample+1))
	}
	if sb.stage != nil {
		if n != nil && n.dir != nil {
			dir = n
		}
		sb.stage.Count(dir, w.skipped) // nil: no target
	}
}

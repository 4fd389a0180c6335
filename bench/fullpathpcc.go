package bench

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"stagefs/memfs"
)

// pcc is the prefix check cache of one credential: what it says of a directory,
// as of a version, is that the credential may search it and all above. That
// stays true of that version for ever. 64 KiB; the zero pcc is empty.
//
// Each word is one entry: 1 bit recently used, 31 bits of the directory's
// number, 32 bits of its version. There are no locks; when two writers meet,
// one entry may be lost.
type pcc struct {
	sets [pccSets][pccWays]atomic.Uint64
}

const (
	pccSets = 4096
	pccWays = 2

	recently = 1 // the bit of an entry that was used since its set last lost one
)

// invalidPrefix is no directory: versions begin at 1.
const invalidPrefix = 0

// prefixOf is the entry, not recently used, for a version of a directory. That
// numbers beyond 31 bits meet does no harm, as no two versions are equal.
func prefixOf(ino uint64, seq uint32) uint64 {
	return uint64(seq)<<32 | uint64(uint32(ino^ino>>31)<<1)
}

// set returns where an entry has its place. Directories that come numbered in a
// row spread over all sets.
func (p *pcc) set(prefix uint64) *[pccWays]atomic.Uint64 {
	return &p.sets[uint32(prefix)*0x9e3779b1>>20]
}

// has reports whether p has an entry. A nil p has none.
func (p *pcc) has(prefix uint64) bool {
	if p == nil {
		return false
	}
	set := p.set(prefix)
	for way := range set {
		if entry := set[way].Load(); entry&^recently == prefix {
			if entry&recently == 0 {
				set[way].CompareAndSwap(entry, entry|recently)
			}
			return true
		}
	}
	return false
}

// add enters prefix in the place of an entry that was not recently used, of any
// if all were.
func (p *pcc) add(prefix uint64) {
	if p.has(prefix) {
		return
	}
	set := p.set(prefix)
	victim := -1
	for way := range set {
		entry := set[way].Load()
		if entry&recently == 0 {
			victim = way
			continue
		}
		set[way].CompareAndSwap(entry, entry&^recently)
	}
	if victim < 0 {
		victim = int(rand.Uint32() % pccWays)
	}
	set[victim].Store(prefix | recently)
}

// credTable leads from credentials to their PCCs, which in the kernel takes one
// pointer. It is immutable.
type credTable struct {
	few  []credPCC // the first ones, at most fewCreds
	more map[*memfs.Cred]*pcc
}

type credPCC struct {
	cred *memfs.Cred
	pcc  *pcc
}

const (
	fewCreds = 8

	// maxCreds bounds what the PCCs take, to 16 MiB. The original frees one with
	// its credential; here all are forgotten when there are too many.
	maxCreds = 256
)

// pcc returns a credential's PCC, nil if it has none.
func (t *credTable) pcc(cred *memfs.Cred) *pcc {
	for i := range t.few {
		if t.few[i].cred == cred {
			return t.few[i].pcc
		}
	}
	if t.more == nil {
		return nil
	}
	return t.more[cred]
}

// with returns a table that has an empty PCC for one more credential.
func (t *credTable) with(cred *memfs.Cred) *credTable {
	p := new(pcc)
	switch {
	case len(t.few) < fewCreds:
		return &credTable{few: append(slices.Clip(t.few), credPCC{cred, p})}
	case len(t.few)+len(t.more) >= maxCreds:
		return &credTable{few: []credPCC{{cred, p}}}
	}
	more := maps.Clone(t.more)
	if more == nil {
		more = make(map[*memfs.Cred]*pcc)
	}
	more[cred] = p
	return &credTable{few: t.few, more: more}
}

// pcc returns a credential's PCC. Preconditions: mu is held.
func (c *fullPathCache[N]) pcc(cred *memfs.Cred) *pcc {
	t := c.creds.Load()
	if t.pcc(cred) == nil {
		t = t.with(cred)
		c.creds.Store(t)
	}
	return t.pcc(cred)
}

package bench

import (
	"math/rand/v2"
	"strings"
	"testing"

	"stagefs/memfs"
)

// pathModel is a naive file system: what each path leads to, and who may search
// which directory.
type pathModel struct {
	rnd    *rand.Rand
	cache  *fullPathCache[testNode]
	paths  map[string]testNode
	denied map[[2]uint64]bool // by the directory's number and the credential's
	creds  []*memfs.Cred
	last   uint64 // number given

	// walks that were told of, but have not yet told the cache
	parked []parkedWalk
}

type parkedWalk struct {
	begin uint64
	cred  *memfs.Cred
	path  string
	steps []pathStep
}

var modelNames = []string{"a", "b", ".git", "abcdefg", "abcdefgh", "abcdefghij"}

func newPathModel(rnd *rand.Rand, limit int) *pathModel {
	m := &pathModel{
		rnd:    rnd,
		cache:  newFullPathOf[testNode](limit),
		paths:  map[string]testNode{},
		denied: map[[2]uint64]bool{},
		last:   1,
	}
	for i := range 10 { // more than fewCreds
		m.creds = append(m.creds, &memfs.Cred{Uid: uint32(i)})
	}
	return m
}

// randomPath is one of up to four components, there or not.
func (m *pathModel) randomPath() string {
	path := ""
	for range 1 + m.rnd.IntN(4) {
		path += "/" + modelNames[m.rnd.IntN(len(modelNames))]
	}
	return path
}

func (m *pathModel) node(path string) (testNode, bool) {
	if path == "" {
		return testRoot, true
	}
	n, ok := m.paths[path]
	return n, ok
}

// walk returns the steps that cred can take on path, and whether they lead to
// its end.
func (m *pathModel) walk(path string, cred *memfs.Cred) ([]pathStep, bool) {
	var steps []pathStep
	dir, start := testRoot, 0
	for start < len(path) {
		end := start + 1
		for end < len(path) && path[end] != '/' {
			end++
		}
		child, ok := m.paths[path[:end]]
		if !ok || m.denied[[2]uint64{dir.ino, uint64(cred.Uid)}] {
			return steps, false
		}
		steps = append(steps, pathStep{start, end, dir, child})
		dir, start = child, end
	}
	return steps, true
}

// lookup is what memfs does: ask, or else walk and tell; a walk may be parked.
func (m *pathModel) lookup(t *testing.T) {
	path, cred := m.randomPath(), m.creds[m.rnd.IntN(len(m.creds))]
	if m.check(t, path, cred) {
		return
	}
	w := parkedWalk{begin: m.cache.Begin(), cred: cred, path: path}
	steps, all := m.walk(path, cred)
	if w.steps = steps; m.rnd.IntN(4) == 0 {
		m.parked = append(m.parked, w)
		return
	}
	addSteps(m.cache, w.begin, cred, path, steps)
	if all && m.cache.limit >= 1000 && m.cache.signer.mask.d != 0 {
		if _, ok := m.cache.Get(path, cred); !ok {
			t.Fatalf("Get(%q) knows nothing after a walk", path)
		}
	}
}

// check compares an answer with the model, if there is one.
func (m *pathModel) check(t *testing.T, path string, cred *memfs.Cred) bool {
	n, ok := m.cache.Get(path, cred)
	if !ok {
		return false
	}
	if steps, all := m.walk(path, cred); all && steps[len(steps)-1].child == n {
		return true
	}
	// Else another path with this signature must lead there. (Its directory may
	// be searched by cred; that of path need not.)
	sig := m.cache.signer.sign(path)
	for other, node := range m.paths {
		if node != n || other == path || m.cache.signer.sign(other) != sig {
			continue
		}
		if _, all := m.walk(other, cred); all {
			return true
		}
	}
	t.Fatalf("Get(%q) by %d = %v, which no path with its signature leads to", path, cred.Uid, n)
	return false
}

// change calls f between Change and Changed of some nodes, and now and then lets
// a walk tell of what it saw meanwhile.
func (m *pathModel) change(nodes []testNode, f func()) {
	for _, n := range nodes {
		m.cache.Change(n)
	}
	m.unpark()
	f()
	m.unpark()
	for _, n := range nodes {
		m.cache.Changed(n)
	}
	m.unpark()
}

func (m *pathModel) unpark() {
	for len(m.parked) > 0 && m.rnd.IntN(2) == 0 {
		w := m.parked[0]
		m.parked = m.parked[1:]
		addSteps(m.cache, w.begin, w.cred, w.path, w.steps)
	}
}

// create makes a directory or a file, or another link to a file.
func (m *pathModel) create() {
	path := m.randomPath()
	parent, ok := m.node(path[:strings.LastIndexByte(path, '/')])
	if _, there := m.paths[path]; there || !ok || !parent.dir {
		return
	}
	if m.rnd.IntN(4) == 0 {
		for _, n := range m.paths {
			if !n.dir {
				m.change([]testNode{n}, func() { m.paths[path] = n })
				return
			}
		}
	}
	m.last++
	m.paths[path] = testNode{m.last, m.rnd.IntN(3) > 0}
}

// remove takes a path away, and what is below.
func (m *pathModel) remove() {
	path := m.randomPath()
	n, ok := m.paths[path]
	if !ok {
		return
	}
	m.change([]testNode{n}, func() { m.move(path, "") })
}

// rename replaces what is there.
func (m *pathModel) rename() {
	from, to := m.randomPath(), m.randomPath()
	n, ok := m.paths[from]
	parent, isThere := m.node(to[:strings.LastIndexByte(to, '/')])
	if !ok || !isThere || !parent.dir || strings.HasPrefix(to+"/", from+"/") || strings.HasPrefix(from+"/", to+"/") {
		return
	}
	nodes := []testNode{n}
	if old, there := m.paths[to]; there && old != n {
		nodes = append(nodes, old)
	}
	m.change(nodes, func() {
		m.move(to, "")
		m.move(from, to)
	})
}

// move gives everything at and below from another path, "" for none.
func (m *pathModel) move(from, to string) {
	moved := map[string]testNode{}
	for path, n := range m.paths {
		if path == from || strings.HasPrefix(path, from+"/") {
			delete(m.paths, path)
			moved[path[len(from):]] = n
		}
	}
	for rest, n := range moved {
		if to != "" {
			m.paths[to+rest] = n
		}
	}
}

// chmod allows or denies a credential to search a directory.
func (m *pathModel) chmod() {
	path := m.randomPath()
	if m.rnd.IntN(10) == 0 {
		path = ""
	}
	if n, ok := m.node(path); ok {
		key := [2]uint64{n.ino, uint64(m.rnd.IntN(len(m.creds)))}
		m.change([]testNode{n}, func() { m.denied[key] = !m.denied[key] })
	}
}

// TestFullPathAnswersLikeModel plays random calls. With 4 bits of signature,
// answers may be those of another path, but only of one with that signature.
func TestFullPathAnswersLikeModel(t *testing.T) {
	rnd := seededFullPath(t)
	for _, limit := range []int{1, 5, 30, 1000} {
		for _, narrow := range []bool{false, true} {
			m := newPathModel(rnd, limit)
			if narrow {
				m.cache.signer.mask = pathSignature{a: 0xf}
			}
			for range 4000 {
				switch m.rnd.IntN(20) {
				case 0, 1, 2, 3:
					m.create()
				case 4:
					m.remove()
				case 5:
					m.rename()
				case 6:
					m.chmod()
				case 7:
					m.unpark()
				default:
					m.lookup(t)
				}
				for range 5 {
					m.check(t, m.randomPath(), m.creds[m.rnd.IntN(len(m.creds))])
				}
			}
			m.cache.mustHold(t)
		}
	}
}

// Two paths with one signature: the answer is that of whichever entry comes
// first in the chain and that the caller may have.
func TestFullPathCollision(t *testing.T) {
	c := newFullPathOf[testNode](100)
	c.signer.mask = pathSignature{a: 0xf}
	cred := new(memfs.Cred)
	bySignature := map[pathSignature]string{}
	for i := range uint64(17) {
		path := "/" + string(rune('a'+i))
		sig := c.signer.sign(path)
		if sig.a > 15 || sig.b|sig.c|sig.d != 0 {
			t.Fatalf("signature %x has more than 4 bits", sig)
		}
		if other, ok := bySignature[sig]; ok {
			n := testNode{2, true}
			addPath(c, cred, other, n)
			wantPath(t, c, cred, path, n)
			return
		}
		bySignature[sig] = path
	}
	t.Error("17 paths with 16 signatures, but no two have one")
}

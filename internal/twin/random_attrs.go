//go:build linux

package twin

import (
	"fmt"
	"strings"
)

var (
	scriptAttrs = []string{"user.a", "user.b", "user.a", "user.b", "trusted.a", "security.a", "security.capability", aclAccess, aclDefault, "user.", "foo.a"}
	scriptACLs  = []string{aclAccess, aclAccess, aclDefault}
)

// attrOf makes what a call for extended attributes is made on.
func (g *generator) attrOf() AttrOf { return AttrOf{Path: g.path(), Link: g.IntN(4) == 0} }

func (at AttrOf) String() string { return fmt.Sprintf("%q, %v", at.Path, at.Link) }

func setAttr(g *generator) scriptStep {
	at, name, flags := g.attrOf(), pick(g, scriptAttrs), pick(g, []int{0, 0, 0, 1, 2, 3})
	value := string(pattern(pick(g, []int{0, 1, 10, 700, 3000})))
	if name == "security.capability" {
		value = capsText(byte(1+g.IntN(3)), 16+4*g.IntN(3))
	}
	return newStep(fmt.Sprintf("SetAttr(%v, %q, %d bytes, %d)", at, name, len(value), flags), func(t *T, _ *scriptState) {
		t.SetAttr(at, name, value, flags)
	})
}

// acl makes a list: nearly always a valid one.
func (g *generator) acl() string {
	perm := func() string { return pick(g, []string{"-", "r", "rx", "rwx", "rwx", "w", "x", "rw", "rx"}) }
	list := []string{"u::" + pick(g, []string{"rwx", "rwx", "rw", "-"})}
	named := func(who string) {
		for range min(g.IntN(4), g.IntN(4)) {
			list = append(list, fmt.Sprintf("%s:%d:%s", who, max(pick(g, g.owners), 0), perm()))
		}
	}
	named("u")
	list = append(list, "g::"+perm())
	named("g")
	if len(list) > 2 || g.IntN(2) == 0 {
		list = append(list, "m::"+perm())
	}
	list = append(list, "o::"+perm())
	if g.IntN(10) == 0 {
		at := g.IntN(len(list))
		list = append(list[:at], list[at+1:]...)
	}
	return strings.Join(list, " ")
}

func setACL(g *generator) scriptStep {
	at, name, list := g.attrOf(), pick(g, scriptACLs), g.acl()
	blob := []byte(aclText(list))
	if g.IntN(8) == 0 { // something is wrong with it, perhaps
		blob[g.IntN(len(blob))] = pick(g, []byte{0, 1, 2, 4, 8, 16, 32, 64, 255})
		blob = blob[:len(blob)-pick(g, []int{0, 0, 0, 1, 8})]
		list = fmt.Sprintf("%q", blob)
	}
	return newStep(fmt.Sprintf("SetAttr(%v, %q, %s)", at, name, list), func(t *T, _ *scriptState) {
		t.SetAttr(at, name, string(blob), 0)
	})
}

func removeAttr(g *generator) scriptStep {
	at, name := g.attrOf(), pick(g, scriptAttrs)
	return newStep(fmt.Sprintf("RemoveAttr(%v, %q)", at, name), func(t *T, _ *scriptState) { t.RemoveAttr(at, name) })
}

func lookAttr(g *generator) scriptStep {
	at, name := g.attrOf(), pick(g, scriptAttrs)
	return newStep(fmt.Sprintf("GetAttr(%v, %q), ListAttrs", at, name), func(t *T, _ *scriptState) {
		t.GetAttr(at, name)
		t.ListAttrs(at)
	})
}

// fileAttr changes the attributes of an open file, for who has opened it.
func fileAttr(g *generator) scriptStep {
	slot, name, list := g.IntN(4), pick(g, scriptAttrs), g.acl()
	step := newStep(fmt.Sprintf("f%d.SetAttr(%q, %s)", slot, name, list), func(t *T, s *scriptState) {
		h, who := s.files[slot], s.who[slot]
		if h == nil || h.f == nil {
			return
		}
		at := AttrOf{File: h.f}
		use := func() {
			t.SetAttr(at, name, aclText(list), 0)
			t.GetAttr(at, name)
			t.ListAttrs(at)
		}
		if who == nil {
			use()
		} else {
			t.As(*who, use)
		}
	})
	step.ofFile = true
	return step
}

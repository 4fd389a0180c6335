package bench

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stagefs/memfs"
)

// treeOf returns all paths of a player's file system with their types and the
// texts of links.
func treeOf(t *testing.T, p *player) []string {
	t.Helper()
	var all []string
	var visit func(dir string)
	visit = func(dir string) { // not by io/fs, which refuses names that are no UTF-8
		entries, err := p.fsys.ReadDir(dir + "/")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := dir + "/" + e.Name()
			switch {
			case e.IsDir():
				all = append(all, name+"/")
				visit(name)
			case e.Type()&fs.ModeSymlink != 0:
				text, err := p.fsys.Readlink(name)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, name+" -> "+text)
			default:
				all = append(all, name)
			}
		}
	}
	visit("")
	return all
}

// treeScripts are traces with the trees that they need. Every call of them ends
// as it did.
var treeScripts = []struct{ name, trace, tree string }{
	{"found", `stat("/a/b", {st_mode=S_IFREG|0644}) = 0
access("/a/c", F_OK) = -1 ENOENT (x)
open("/d", O_RDONLY|O_DIRECTORY) = 3
lstat("/e/f/", {st_mode=S_IFDIR|0755}) = 0`, "/a/ /a/b /d/ /e/ /e/f/"},
	{"made", `mkdir("/a", 0777) = 0
creat("/a/b", 0666) = 3
stat("/a/b", {st_mode=S_IFREG|0644}) = 0
mkdir("/a", 0777) = -1 EEXIST (x)
rmdir("/a") = -1 ENOTEMPTY (x)
unlink("/a/b") = 0
stat("/a/b", 0x1) = -1 ENOENT (x)
rmdir("/a") = 0`, ""},
	{"removed", `unlink("/a/b") = 0
open("/a/b", O_RDONLY) = -1 ENOENT (x)
unlink("/a") = -1 EISDIR (x)
rmdir("/a") = 0
rmdir("/c") = -1 ENOTEMPTY (x)
rmdir("/d") = -1 ENOTDIR (x)`, "/a/ /a/b /c/ /c/content /d"},
	{"renamed", `rename("/a", "/b") = 0
stat("/b/x/y", {st_mode=S_IFREG|0644}) = 0
stat("/a/x/y", 0x1) = -1 ENOENT (x)
mkdir("/a", 0777) = 0
open("/a/z", O_WRONLY|O_CREAT, 0666) = 3
rename("/a/z", "/b/x/y") = 0
rename("/b/x/y", "/b/x/y") = 0
rename("/none", "/b") = -1 ENOENT (x)`, "/a/ /a/x/ /a/x/y"},
	{"links", `readlink("/a/l", "../b", 99) = 4
stat("/a/l/c", {st_mode=S_IFREG|0644}) = 0
lstat("/b/c", {st_mode=S_IFREG|0644}) = 0
readlink("/b/c", 0x1, 99) = -1 EINVAL (x)
stat("/b/../x", {st_mode=S_IFREG|0644}) = 0
lstat("/unread", {st_mode=S_IFLNK|0777}) = 0
stat("/unread/in", {st_mode=S_IFREG|0644}) = 0
readlink("/cut", "x"..., 99) = 80
symlink("b", "/new") = 0
stat("/new/c", {st_mode=S_IFREG|0644}) = 0
readlink("/new", "b", 99) = 1
link("/b/c", "/b/d") = 0
unlink("/a/l") = 0
stat("/a/l/c", 0x1) = -1 ENOENT (x)`,
		"/.traced/ /.traced/1/ /.traced/1/in /a/ /a/l -> ../b /b/ /b/c /cut -> .traced /unread -> /.traced/1 /x"},
	{"loop", `readlink("/a", "b", 9) = 1
readlink("/b", "a", 9) = 1
stat("/a/c", 0x1) = -1 ELOOP (x)`, "/a -> b /b -> a"},
	{"errors", `stat("/f/x", 0x1) = -1 ENOTDIR (x)
open("/g", O_RDONLY|O_DIRECTORY) = -1 ENOTDIR (x)
open("/d", O_WRONLY) = -1 EISDIR (x)
access("/e", W_OK) = -1 EACCES (x)
getxattr("/h", "user.x", 0x1, 9) = -1 ENODATA (x)
open("/i", O_WRONLY|O_CREAT|O_EXCL, 0666) = -1 EEXIST (x)`, "/d/ /e /f /g /h /i"},
	{"relative", `getcwd("/u/v", 99) = 5
stat("a", {st_mode=S_IFREG|0644}) = 0
stat("../b", {st_mode=S_IFREG|0644}) = 0
mkdir("new", 0777) = 0
chdir("new") = 0
creat("c", 0666) = 3
rename("c", "../c") = 0
stat("/u/v/c", {st_mode=S_IFREG|0644}) = 0`, "/u/ /u/b /u/v/ /u/v/a"},
	{"metadata", `chmod("/a", 0) = 0
chown("/a/b", 0, 0) = 0
utimensat(AT_FDCWD, "/a/b", NULL, 0) = 0
truncate("/a/b", 9) = 0
mknod("/a/p", S_IFIFO|0600) = 0
execve("/bin/x", [], 0x1) = 0`, "/a/ /a/b /bin/ /bin/x"},
}

func TestReplayTree(t *testing.T) {
	for _, c := range treeScripts {
		t.Run(c.name, func(t *testing.T) {
			p, err := newPlayer(newReplay(mustTrace(t, c.trace)), memfs.New(memfs.WithCred(memfs.Cred{Uid: 1000, Gid: 1000})))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(strings.ReplaceAll(c.tree, " -> ", "\x00"))
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "\x00", " -> ")
			}
			slices.Sort(want)
			check := func(when string) {
				t.Helper()
				got := treeOf(t, p)
				slices.Sort(got)
				if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" && len(want)+len(got) > 0 {
					t.Errorf("tree %s (-want +got)\n%s", when, diff)
				}
			}
			check("at the beginning")
			first, err := p.verify()
			if err != nil || first.wrong > 0 {
				t.Errorf("%+v, %v", first, err)
			}
			if err := p.reset(); err != nil {
				t.Fatal(err)
			}
			check("after it was undone")
			if failed := p.run(p.order); failed != first.failed {
				t.Errorf("%d calls fail in the second replay, %d did in the first", failed, first.failed)
			}
		})
	}
}

// TestVerify: a replay that ends otherwise than its trace is an error.
func TestVerify(t *testing.T) {
	p, err := newPlayer(newReplay(mustTrace(t, "stat(\"/a\", 0x1) = 0\nstat(\"/b\", 0x1) = 0\n")), memfs.New())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.fsys.Remove("/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.verify(); err == nil || !strings.Contains(err.Error(), "self-check: 1 of the 2 calls of trace test") {
		t.Error(err)
	}
}

// TestShippedTraces: nearly all calls of the shipped traces end as they did,
// in every implementation, and nothing of the machine they come from is left.
func TestShippedTraces(t *testing.T) {
	const marker = `(go\.mod|go\.work|\.git|\.hg|\.svn|\.bzr|\.fslckout|_FOSSIL_)`
	known := regexp.MustCompile(`^(/(bin|dev|etc|lib|proc|sys|tmp|usr)(/.*)?|/home/user(/.*)?|/home|/|(/home)?/` + marker + `)$`)
	for _, name := range shippedNames {
		tr, err := shippedTrace(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.calls) < 1000 {
			t.Errorf("%s has %d calls only", name, len(tr.calls))
		}
		for _, c := range tr.calls {
			if at := fullPath(c.dir, c.path); !known.MatchString(at) {
				t.Errorf("%s: %s", name, at)
			}
		}
		r := newReplay(tr)
		for _, impl := range stageImpls {
			v, err := verifyReplay(impl, r)
			if err != nil {
				t.Errorf("%s %s: %v", name, impl, err)
			}
			t.Logf("%s %s: %d calls, %d threads, %d wrong, %d loose, %d failed; %s", name, impl, len(r.order), len(r.turns), v.wrong, v.loose, v.failed, r.left)
		}
	}
}

// TestPaperTrace: the generated trace has the paper's proportions and is the
// same for the same seed.
func TestPaperTrace(t *testing.T) {
	r := newPaperReplay(7, 1)
	if again := newPaperReplay(7, 1); !slices.Equal(r.order, again.order) {
		t.Error("another trace from the same seed")
	}
	if len(r.order) != paperLookups/paperShare {
		t.Errorf("%d lookups", len(r.order))
	}
	visits, popular := 0, make(map[string]int)
	for _, i := range r.order {
		name := r.ops[i].path
		visits += strings.Count(name, "/")
		popular[name[:strings.LastIndexByte(name, '/')]]++
	}
	if mean := float64(visits) / float64(len(r.order)); mean < 6.8 || mean > 6.9 {
		t.Errorf("%.3f components a lookup, want %.3f", mean, float64(paperVisits)/paperLookups)
	}
	counts := slices.Sorted(maps.Values(popular))
	slices.Reverse(counts)
	sixteen := 0
	for _, n := range counts[:16] {
		sixteen += n
	}
	if share := float64(sixteen) / float64(len(r.order)); share < 0.4 || share > 0.8 {
		t.Errorf("the 16 most popular directories get %.2f of the lookups", share)
	}
	dirs := 0
	var count func(n *traceNode)
	count = func(n *traceNode) {
		for _, kid := range n.startKids {
			if kid.kind == 'd' {
				dirs++
				count(kid)
			}
		}
	}
	count(r.root)
	if dirs != paperDirs {
		t.Errorf("%d directories, want %d", dirs, paperDirs)
	}
	if v, err := verifyReplay("original", r); err != nil || v.failed > 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

package memfs_test

import (
	"fmt"
	"syscall"
	"testing"

	"stagefs/memfs"
	"stagefs/stage"
)

// TestStageACL closes each directory on a popular path to one user by an ACL, while its mode lets everybody pass, and
// opens it again. No walk may begin behind it.
func TestStageACL(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		fsys := newFS(memfs.WithStage(stage.Config{Sample: 1, Threshold: -1, Period: 1 << 50, Pool: kind}), memfs.WithUmask(0),
			memfs.WithRootMode(0o777))
		must(t, fsys.MkdirAll(permPath(0, permDepth), 0o777))
		file := permPath(0, permDepth) + "/f"
		must(t, fsys.WriteFile(file, nil, 0o666))
		look := func(what string, shut bool) {
			t.Helper()
			for _, u := range []memfs.Cred{alice, bob, carol} {
				want := error(nil)
				if shut && u.Uid == bob.Uid {
					want = syscall.EACCES
				}
				v := fsys.As(u)
				_, err := v.Stat(file)
				wantError(t, fmt.Sprint(what, " by ", u.Uid), err, want)
				wantError(t, fmt.Sprint(what, ", create by ", u.Uid), v.WriteFile(file+"new", nil, 0o666), want)
			}
		}
		for depth := range permDepth + 1 {
			dir := permPath(0, depth)
			for _, promoteBefore := range []bool{true, false} {
				if promoteBefore {
					must(t, fsys.Promote(permPath(0, permDepth)))
				}
				must(t, fsys.Setxattr(dir, aclAccess, aclBlob("u::rwx u:1001:rw g::rwx m::rwx o::rwx"), 0))
				if !promoteBefore {
					must(t, fsys.Promote(permPath(0, permDepth)))
				}
				if st := stat(t, fsys, dir); st.Mode&0o777 != 0o777 {
					t.Fatalf("mode %o", st.Mode)
				}
				look("closed "+dir, true)
				must(t, fsys.Setxattr(dir, "user.a", []byte("x"), 0)) // another snapshot of a closed directory
				check(t, fsys)
				look("closed "+dir, true)
				must(t, fsys.Setxattr(dir, aclAccess, aclBlob("u::rwx u:1001:rwx g::rwx m::rwx o::rwx"), 0))
				look("opened "+dir, false)
				must(t, fsys.Removexattr(dir, aclAccess))
				must(t, fsys.Removexattr(dir, "user.a"))
				look("without an ACL "+dir, false)
				check(t, fsys)
			}
		}
		if st := fsys.Stage().Stats(); st.Hits == 0 || st.Invalidations == 0 {
			t.Errorf("the stage was not used: %+v", st)
		}
	})
}

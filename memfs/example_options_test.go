package memfs_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"stagefs/memfs"
)

func ExampleParseOptions() {
	options, err := memfs.ParseOptions("size=1m,nr_inodes=1k,mode=1777,noatime")
	if err != nil {
		panic(err)
	}
	usage := memfs.New(options...).Statfs()
	fmt.Println(usage.Blocks, usage.Inodes)
	_, err = memfs.ParseOptions("mode=700,size=much")
	fmt.Println(strings.TrimSuffix(err.Error(), syscall.EINVAL.Error()), errors.Is(err, syscall.EINVAL))
	// Output:
	// 256 1024
	// memfs: mount option "size=much" at byte 9: bad value:  true
}

func ExampleFS_SetQuota() {
	system := memfs.New(memfs.WithCred(memfs.Cred{}), memfs.WithRootMode(0o777), memfs.WithQuota(memfs.UserQuota, memfs.Quota{}))
	if err := system.SetQuota(memfs.UserQuota, 1000, memfs.Quota{HardBytes: 8192, HardInodes: 10}); err != nil {
		panic(err)
	}
	user := system.As(memfs.Cred{Uid: 1000, Gid: 1000})
	fmt.Println(errors.Is(user.WriteFile("/large", make([]byte, 10_000), 0o644), syscall.EDQUOT))
	for u := range system.Quotas(memfs.UserQuota) {
		fmt.Println(u.ID, u.Bytes, u.Inodes)
	}
	// Output:
	// true
	// 0 0 1
	// 1000 8192 1
}

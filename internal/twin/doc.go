// Package twin asks the kernel what a file system has to answer.
//
// A case is a function that makes calls on a small tree. It is run twice, on
// two worlds: once on a fresh directory of the kernel's tmpfs through package
// os (or through [os.Root]), and once on a fresh tree of the file system under
// test. Every call writes one line into a transcript: the call, the values it
// returned and its error to the last detail (type, Op, Path, errno, text).
// The transcripts of the twins must be equal; a difference is the failure
// message. No expectation is written down by hand, so nobody can write down a
// wrong one.
//
// # Worlds
//
// A [World] makes systems. [Host] makes them of directories of the kernel. It
// runs a case on an operating system thread of its own, whose root directory,
// working directory and umask are not shared with the rest of the process;
// with the rights to do so it changes the root of that thread to the fresh
// directory. So absolute paths, ".." at the root, path lengths and error
// texts are the same in both worlds, and no prefix has to be cut off anywhere.
// The credentials of the thread are switched in the same way, without a child
// process.
//
// # Transcripts
//
// A transcript is split in sections, each with a fresh tree made from a
// layout ([T.Fresh] tells its language), so that a table of thousands of
// combinations names the few that differ. What may differ between two right
// answers is normalised: inode numbers become labels in the order in which
// they are met, listings in directory order are sorted, random parts of the
// names of temporary files become "#", times are either given exactly (the
// ones the case has set) or as "now". A case must not branch on what a call
// returned except through [T.Choose], which makes the second twin follow the
// first.
//
// # Running
//
// The random twins run for a second each; -twin.time makes it longer and
// -twin.seed repeats one. With -short, and under the race detector, only a
// part of each table is looked at. What a machine lacks (root, a tmpfs) is
// skipped, but fails where STAGEFS_CI is set.
//
// # Files
//
// front.go has the interfaces, host_linux.go the kernel's side, record.go,
// calls.go and handle.go the recorder, layout.go and dump.go trees in and
// out, times.go the order of times, run.go the comparison, random.go and
// shrink.go the random twin, and cases_*.go the cases by subject. All but
// this file are for Linux only.
package twin

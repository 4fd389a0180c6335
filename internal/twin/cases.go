//go:build linux

package twin

import "slices"

// Cases are all cases.
func Cases() []Case {
	return slices.Concat(
		PathCases, PairCases, LinkCases, OpenCases, FileCases, AllocCases, DirCases, RemoveCases, RenameFlagCases,
		TmpFileCases, SpecialCases, MetaCases, TimeCases, PermCases, SetIDCases, AttrCases, ACLCases, RootCases, IOFSCases,
		ReportCases,
	)
}

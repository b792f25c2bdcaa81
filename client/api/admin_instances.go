package api

// CountMost is how far the counts of accounts and people of a KnownHost go; CountMost+1 is more than that.
const CountMost = 1000

// KnownHost describes another server as this one knows it. Accounts and people are counted
// up to CountMost.
type KnownHost struct {
	Host      string      `json:"host"`
	Accounts  int64       `json:"accounts"`  // known here
	Followed  int64       `json:"followed"`  // accounts here that follow somebody there
	Followers int64       `json:"followers"` // accounts there that follow somebody here
	Reports   HostReports `json:"reports"`   // about accounts there
	// Limits are the entries of the settings that are about it: its own, and those of
	// domains that it is in. Settings are all settings that name it, such as
	// mrf_simple.reject. Idle is the policies that its limits need and that are off.
	Limits   List[LimitedHost] `json:"limits"`
	Settings List[string]      `json:"settings"`
	Idle     List[string]      `json:"idle"`
	// Delivery is how sending to it goes, nil if it was never called.
	Delivery *Host `json:"delivery"`
}

// HostReports counts reports by state.
type HostReports struct {
	Open     int64 `json:"open"`
	Closed   int64 `json:"closed"`
	Resolved int64 `json:"resolved"`
}

package mrf

// Known reports whether a policy of this short name acts here.
func Known(name string) bool { return name == "SubchainPolicy" || policies(name) != nil }

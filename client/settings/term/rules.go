package term

import "slices"

// The settings here are named in wire form.

// replacedSubkey names the one subkey of a setting that is never merged but
// taken as given, or is empty.
func replacedSubkey(group, key string) string {
	if group != ":svc" {
		return ""
	}
	switch key {
	case ":assets":
		return ":mascots"
	case ":emoji":
		return ":groups"
	case ":workers":
		return ":retries"
	case ":mrf_subchain":
		return ":match_actor"
	case ":mrf_keyword":
		return ":replace"
	}
	return ""
}

// ReplacedSubkey reports whether a subkey of a setting is never merged.
func ReplacedSubkey(group, key, subkey string) bool {
	return subkey != "" && subkey == replacedSubkey(group, key)
}

// ReplacedKey reports whether a setting is never merged on saving.
func ReplacedKey(group, key string) bool {
	switch group {
	case ":svc":
		return key == ":ecto_repos"
	case ":quack":
		return key == ":meta"
	case ":mime":
		return key == ":types"
	case ":cors_plug":
		return key == ":max_age" || key == ":methods" || key == ":expose" || key == ":headers"
	case ":swarm":
		return key == ":node_blacklist"
	case ":logger":
		return key == ":backends"
	}
	return false
}

// NeedsReboot reports whether a change of a setting, or of these of its
// subkeys, needs a restart.
func NeedsReboot(group, key string, subkeys ...string) bool {
	if group != ":svc" {
		return false
	}
	subkey := ""
	switch key {
	case ":hackney_pools", ":chat", "Oban", ":rate_limit", ":markup", ":streamer", ":pools", ":connections_pool":
		return true
	case "Svc.Captcha":
		subkey = ":seconds_valid"
	case "Svc.Upload":
		subkey = ":proxy_remote"
	case ":instance":
		subkey = ":upload_limit"
	case ":gopher":
		subkey = ":enabled"
	}
	return subkey != "" && slices.Contains(subkeys, subkey)
}

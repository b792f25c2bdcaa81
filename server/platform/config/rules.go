package config

import "slices"

// NeedsReboot tells whether clients are told that a change of (group, key), all
// named in wire form, or of these of its subkeys, needs a restart.
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

// BootOnly tells that a setting is the operator's alone: it is told by the file
// or the environment, and never saved.
func BootOnly(group, key string) bool {
	if group != ":svc" {
		return false
	}
	switch key {
	case "Svc.Repo", "Svc.Web.Endpoint", ":env", ":configurable_from_database", ":database", ":swarm", ":database_config_whitelist":
		return true
	}
	return false
}

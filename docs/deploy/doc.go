// Package deploy has the files by which svc is installed: the Debian package, the units of
// systemd, containers, proxies, the filter for fail2ban, and rules for Prometheus. There is no code, only tests of
// the files; docs/release packs them.
package deploy

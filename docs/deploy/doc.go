// Package deploy has the files by which svc is installed: the Debian package, the units of
// systemd, containers, proxies, and the filter for fail2ban. There is no code, only tests of
// the files; docs/release packs them.
package deploy

// Package deploy has the files by which svc is installed: the Debian package, the units of
// systemd, containers, proxies, the filter for fail2ban, rules for Prometheus, and a
// dashboard for Grafana. There is no code, only tests of the files; docs/release packs them.
package deploy

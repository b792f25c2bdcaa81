// Package e2e holds the tests that see the service from outside: other
// people's clients, killed and paired processes, full disks, lost databases,
// and requests that no honest client would send. It has no code of its own.
package e2e

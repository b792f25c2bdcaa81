package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"svc/server/platform/config"
)

// Listen opens the address of the settings; a stale socket file is replaced. A socket that
// systemd has opened for this process is taken instead, whatever the settings say.
func Listen(cfg config.Config) (net.Listener, error) {
	if handed, err := handedSocket(); handed != nil || err != nil {
		if err != nil {
			return nil, err
		}
		// It copies the descriptor: a service that waits for room listens more than once.
		l, err := net.FileListener(handed)
		if err != nil {
			return nil, fmt.Errorf("listen on the socket that systemd opened: %w", err)
		}
		return l, nil
	}
	network, address := cfg.Network()
	if network == "unix" {
		if c, err := net.DialTimeout(network, address, time.Second); err == nil {
			_ = c.Close()
			return nil, fmt.Errorf("listen on %s: another process serves there", address)
		}
		if err := os.Remove(address); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return net.Listen(network, address)
}

// firstHanded is the descriptor of the first socket that systemd hands over.
const firstHanded = 3

// handedSocket is the socket that systemd opened for this process, nil for none: see
// sd_listen_fds(3). It stays open.
var handedSocket = sync.OnceValues(func() (*os.File, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	count := os.Getenv("LISTEN_FDS")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		_ = os.Unsetenv(name) // programs that this one starts have no such sockets
	}
	if count != "1" {
		return nil, fmt.Errorf("systemd hands over %s sockets; give ListenStream= once, in one socket unit", count)
	}
	closeOnExec(firstHanded)
	return os.NewFile(firstHanded, "the socket that systemd opened"), nil
})

package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// dialSocks4 connects to address through a proxy, which resolves names itself.
// Shape: SOCKS 4A.
func dialSocks4(ctx context.Context, d *net.Dialer, proxy, address string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, err
	}
	hello := []byte{4, 1, byte(port >> 8), byte(port)}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().Is4() {
		four := ip.Unmap().As4()
		hello = append(append(hello, four[:]...), 0)
	} else {
		hello = append(append(append(hello, 0, 0, 0, 1, 0), host...), 0)
	}
	conn, err := d.DialContext(ctx, "tcp", proxy)
	if err != nil {
		return nil, err
	}
	if err := greet(ctx, conn, hello, d.Timeout); err != nil {
		return nil, errors.Join(fmt.Errorf("proxy %s: %w", proxy, err), conn.Close())
	}
	return conn, nil
}

func greet(ctx context.Context, conn net.Conn, hello []byte, within time.Duration) error {
	limit := time.Now().Add(within)
	if t, ok := ctx.Deadline(); ok && t.Before(limit) {
		limit = t
	}
	if err := conn.SetDeadline(limit); err != nil {
		return err
	}
	if _, err := conn.Write(hello); err != nil {
		return err
	}
	var answer [8]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	if answer[0] != 0 || answer[1] != 90 {
		return fmt.Errorf("it answered %d", answer[1])
	}
	return conn.SetDeadline(time.Time{})
}

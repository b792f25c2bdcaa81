package emoji

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
)

// Where servers have the packs that they share: those like this one, and Pleroma and
// its kin.
var packAPIs = []string{"/api/svc/emoji", "/api/v1/pleroma/emoji"}

const (
	// downloadTime is the longest time that one download takes.
	downloadTime = 60 * time.Second
	maxPackList  = 4 << 20 // bytes of a page of packs of another server
)

// RemotePack is a pack of another server. Files are of the page that was asked for.
type RemotePack struct {
	Files      map[string]string `json:"files"`
	FilesCount int               `json:"files_count"`
	Pack       struct {
		Description string `json:"description"`
		Homepage    string `json:"homepage"`
		License     string `json:"license"`
		CanDownload bool   `json:"can-download"`
		SHA256      string `json:"download-sha256"`
		Share       bool   `json:"share-files"`
	} `json:"pack"`
}

// RemotePacks returns a page of the packs of the server at base, and the number of all.
func (l *Live) RemotePacks(ctx context.Context, by *db.Account, out *outgoing.Client, base string, page db.NumberedPage) (map[string]RemotePack, int, error) {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return nil, 0, err
	}
	server, err := serverAt(base)
	if err != nil {
		return nil, 0, err
	}
	var answer struct {
		Packs map[string]RemotePack `json:"packs"`
		Count int                   `json:"count"`
	}
	query := url.Values{"page": {strconv.Itoa(page.Number)}, "page_size": {strconv.Itoa(page.Size)}}
	_, err = ask(ctx, out, server, "/packs?"+query.Encode(), &answer)
	return answer.Packs, answer.Count, err
}

// serverAt is the base URL of a server that is named by an address, or by its host.
func serverAt(address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" {
		return "", fault.Invalid("The address is not that of a server, like https://far.example")
	}
	return u.Scheme + "://" + u.Host, nil
}

// ask reads what a server answers about its packs, and returns the address of its
// packs.
func ask(ctx context.Context, out *outgoing.Client, server, path string, answer any) (string, error) {
	for _, api := range packAPIs {
		raw, err := fetch(ctx, out, server+api+path, maxPackList)
		if errors.Is(err, errNotThere) {
			continue
		}
		if err == nil && json.Unmarshal(raw, answer) != nil {
			err = fault.Malformed("The server's answer is not about packs of emoji")
		}
		return server + api, err
	}
	return "", fault.Malformed("The server has no such pack, or does not share packs of emoji")
}

var errNotThere = errors.New("there is no such page")

// fetch reads a short document that an admin asked for.
func fetch(ctx context.Context, out *outgoing.Client, address string, limit int64) ([]byte, error) {
	resp, err := out.Get(ctx, address, "application/json")
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, errNotThere
	case resp.StatusCode != http.StatusOK:
		return nil, fault.Malformedf("The server answers with %d", resp.StatusCode)
	}
	raw, err := outgoing.Read(resp.Body, limit)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return raw, nil
}

// unreachable is a failure of another server as an admin reads it.
func unreachable(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, outgoing.ErrTooLarge):
		return fault.TooLarge("The server sends more than is accepted")
	case errors.Is(err, outgoing.ErrRefused):
		return fault.Malformed("The address is not one of the public internet")
	}
	return fault.Malformed("The server cannot be reached")
}

// Download imports the pack name of the server at base, as the pack as.
func (l *Live) Download(ctx context.Context, by *db.Account, out *outgoing.Client, base, name, as string) (*Imported, error) {
	if err := l.mayImport(ctx, by, as); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fault.Malformed("pack name cannot be empty")
	}
	server, err := serverAt(base)
	if err != nil {
		return nil, err
	}
	var pack RemotePack
	query := url.Values{"name": {name}}.Encode()
	api, err := ask(ctx, out, server, "/pack?"+query, &pack)
	if err != nil {
		return nil, err
	}
	if !pack.Pack.CanDownload {
		return nil, fault.Forbiddenf("Pack %s is not shared by its server", name)
	}
	return l.downloadFrom(ctx, by, out, api+"/packs/archive?"+query, as, pack.Pack.SHA256)
}

// DownloadArchive imports the archive at an address as a pack.
func (l *Live) DownloadArchive(ctx context.Context, by *db.Account, out *outgoing.Client, address, as string) (*Imported, error) {
	if err := l.mayImport(ctx, by, as); err != nil {
		return nil, err
	}
	return l.downloadFrom(ctx, by, out, address, as, "")
}

// mayImport refuses what could only fail, before anything is fetched.
func (l *Live) mayImport(ctx context.Context, by *db.Account, as string) error {
	if err := rights.AdministerNow(ctx, l.db, by); err != nil {
		return err
	}
	if err := checkPackName(as); err != nil {
		return err
	}
	if _, taken := l.Load().Pack(as); taken {
		return fault.Conflictf("A pack named %q already exists", as)
	}
	return nil
}

// downloadFrom imports an archive with this SHA-256 in hex, "" for any.
func (l *Live) downloadFrom(ctx context.Context, by *db.Account, out *outgoing.Client, address, as, want string) (*Imported, error) {
	resp, err := out.Within(downloadTime).Get(ctx, address, "application/zip")
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fault.Malformedf("The server answers with %d", resp.StatusCode)
	}
	sum := sha256.New()
	file, size, err := Spool(io.TeeReader(resp.Body, sum))
	if err != nil {
		if fault.Is(err, fault.KindTooLarge) {
			return nil, err
		}
		return nil, unreachable(ctx, err)
	}
	defer file.Close()
	if got := hex.EncodeToString(sum.Sum(nil)); want != "" && !strings.EqualFold(got, want) {
		return nil, fault.Malformed("The archive is not the one that the server announced")
	}
	return l.Import(ctx, by, as, file, size)
}

// Spooled is an archive in a file that is gone once it is closed.
type Spooled struct{ *os.File }

// Close removes the file.
func (s Spooled) Close() { _ = errors.Join(s.File.Close(), os.Remove(s.Name())) }

// Spool keeps an archive of up to MaxArchive bytes in a temporary file.
func Spool(r io.Reader) (Spooled, int64, error) {
	f, err := os.CreateTemp("", "svc-emoji-*.zip")
	if err != nil {
		return Spooled{}, 0, fmt.Errorf("keep an archive: %w", err)
	}
	size, err := io.Copy(f, io.LimitReader(r, MaxArchive+1))
	if err == nil && size > MaxArchive {
		err = fault.TooLarge(fmt.Sprintf("An archive of emoji has up to %d bytes", MaxArchive))
	}
	if err != nil {
		Spooled{f}.Close()
		return Spooled{}, 0, err
	}
	return Spooled{f}, size, nil
}

package emoji

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"

	"svc/server/platform/outgoing"
)

// stolenPack is the pack of emoji copied from other servers.
const stolenPack = folder + "/stolen"

// maxStolen bounds that pack, whose content is chosen by remote authors.
const maxStolen = 5000

// Steal copies the pictures at urls, by shortcode, as emoji of this server in
// the pack stolen. Files that are no safe pictures, or too large, are left out,
// and so are known shortcodes. It fails if some could not be fetched.
func (l *Live) Steal(ctx context.Context, out *outgoing.Client, urls map[string]string) error {
	found, failed := map[string][]byte{}, error(nil)
	for _, code := range slices.Sorted(maps.Keys(urls)) {
		if !valid(code) || len(code) > maxShortcode || l.knows(code) {
			continue
		}
		picture, err := fetchPicture(ctx, out, urls[code], l.settings.Load().Policies.StealEmoji.SizeLimit)
		if errors.Is(err, outgoing.ErrTooLarge) || errors.Is(err, outgoing.ErrRefused) || errors.Is(err, errNoPicture) {
			l.log.InfoContext(ctx, "cannot copy an emoji", "shortcode", code, "err", err)
			continue
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("emoji %s: %w", code, err))
			continue
		}
		found[code] = picture
	}
	if len(found) == 0 {
		return failed
	}
	if err := l.write(ctx, func(w *writer) error { return w.keepStolen(found) }); err != nil {
		return err
	}
	return failed
}

// knows reports whether there is an emoji with this shortcode, also a disabled one.
func (l *Live) knows(code string) bool {
	_, known := l.Load().Emoji(code)
	return known
}

// errNoPicture is a file that cannot be an emoji.
var errNoPicture = errors.New("no picture of a kind that is taken over")

func fetchPicture(ctx context.Context, out *outgoing.Client, address string, limit int) ([]byte, error) {
	resp, err := out.Get(ctx, address, "image/*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("its server answers %d", resp.StatusCode)
	}
	picture, err := outgoing.Read(resp.Body, int64(limit))
	if err == nil && endingOf(picture) == "" {
		err = errNoPicture
	}
	return picture, err
}

// keepStolen writes pictures, by shortcode, and lists them in the pack.
func (w *writer) keepStolen(found map[string][]byte) error {
	if err := w.root.MkdirAll(stolenPack, 0o755); err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	list := manifest{Files: map[string]string{}, Pack: map[string]any{"description": "Emoji of other servers"}}
	raw, err := readBounded(w.files, stolenPack+"/pack.json")
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("pack of emoji of other servers: %w", err)
	}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		if len(list.Files) >= maxStolen {
			return fmt.Errorf("keep emoji: %d of other servers are enough", maxStolen)
		}
		name := code + endingOf(found[code])
		if err := w.replace(path.Join(stolenPack, name), found[code]); err != nil {
			return err
		}
		list.Files[code] = name
	}
	if raw, err = json.MarshalIndent(list, "", "  "); err != nil {
		return err
	}
	return w.replace(stolenPack+"/pack.json", raw)
}

package emoji

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
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
		if !valid(code) || len(code) > 100 || l.Load().has(code) {
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
	if err := l.keepStolen(found); err != nil {
		return err
	}
	return errors.Join(failed, l.reloadAll(ctx))
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

// endingOf returns the file ending of a picture by its content; "" for other
// files.
func endingOf(picture []byte) string {
	switch http.DetectContentType(picture) {
	case "image/png":
		return ".png"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	case "image/jpeg":
		return ".jpg"
	}
	return ""
}

// keepStolen writes pictures, by shortcode, and lists them in the pack.
func (l *Live) keepStolen(found map[string][]byte) error {
	l.stealing.Lock()
	defer l.stealing.Unlock()
	if err := os.MkdirAll(l.folder(), 0o755); err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	root, err := os.OpenRoot(l.folder())
	if err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(stolenPack, 0o755); err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	list := manifest{Files: map[string]string{}, Pack: map[string]any{"description": "Emoji of other servers"}}
	raw, err := readBounded(root.FS(), stolenPack+"/pack.json")
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
		if err := replace(root, path.Join(stolenPack, name), found[code]); err != nil {
			return err
		}
		list.Files[code] = name
	}
	if raw, err = json.MarshalIndent(list, "", "  "); err != nil {
		return err
	}
	return replace(root, stolenPack+"/pack.json", raw)
}

// replace writes a file atomically: readers find the old one or the new one,
// whole.
func replace(root *os.Root, name string, content []byte) error {
	unfinished := name + ".new"
	if err := root.WriteFile(unfinished, content, 0o644); err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	if err := root.Rename(unfinished, name); err != nil {
		return fmt.Errorf("keep emoji: %w", err)
	}
	return nil
}

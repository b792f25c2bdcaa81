package emoji

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"svc/server/platform/config"
)

// The folder of emoji in the static folder, and the bounds of reading it.
const (
	folder    = "emoji"
	maxFiles  = 50000
	maxEmoji  = 20000
	maxListed = 1 << 20 // bytes of a list: a pack.json, an emoji.txt

	disabledList = folder + "/disabled.txt"
)

var errTooMany = errors.New("there are more files than are read")

// pictures are the endings of files that a browser shows without running
// anything.
var pictures = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// loader builds a set.
type loader struct {
	files    fs.FS
	settings config.Emoji
	log      *slog.Logger
	all      []string // every picture, from the static folder: emoji/x.png
	found    map[string]Emoji
	disabled map[string]bool
	packs    []Pack
}

// load reads the files of the globs, then the packs. Of two with one shortcode
// the first one counts.
func load(files fs.FS, base string, settings config.Emoji, log *slog.Logger) (*Set, error) {
	l := &loader{files: files, settings: settings, log: log, found: map[string]Emoji{}}
	if err := l.walk(); err != nil {
		return nil, fmt.Errorf("read emoji: %w", err)
	}
	for _, file := range l.all {
		if slices.ContainsFunc(settings.ShortcodeGlobs, func(glob string) bool { return match(glob, "/"+file) }) {
			l.add(stem(file), file, nil)
		}
	}
	l.loadPacks()
	var err error
	if l.disabled, err = readDisabled(files); err != nil {
		return nil, fmt.Errorf("read emoji: %w", err)
	}
	s := &Set{base: base, byCode: make(map[string]int, len(l.found)), packs: l.packs}
	for _, code := range slices.Sorted(maps.Keys(l.found)) {
		e := l.found[code]
		e.Disabled = l.disabled[code]
		s.every = append(s.every, e)
		if e.Disabled {
			continue
		}
		s.byCode[code] = len(s.all)
		s.all = append(s.all, e)
	}
	return s, nil
}

// readDisabled reads the shortcodes of the emoji that are disabled, one a line.
func readDisabled(files fs.FS) (map[string]bool, error) {
	raw, err := readBounded(files, disabledList)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	out := map[string]bool{}
	for code := range strings.FieldsSeq(string(raw)) {
		out[code] = true
	}
	return out, err
}

// walk lists the pictures by name.
func (l *loader) walk() error { return l.walkIn(folder) }

// walkIn lists those in a folder. Hidden folders are unfinished packs.
func (l *loader) walkIn(dir string) error {
	err := fs.WalkDir(l.files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && slices.Contains(pictures, strings.ToLower(path.Ext(name))) {
			if l.all = append(l.all, name); len(l.all) > maxFiles {
				return errTooMany
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	slices.Sort(l.all)
	return err
}

// add adds an emoji if its shortcode is valid in texts.
func (l *loader) add(code, file string, tags []string) {
	if _, known := l.found[code]; known || !valid(code) || len(l.found) >= maxEmoji {
		return
	}
	e := Emoji{Shortcode: code, Path: (&url.URL{Path: "/" + file}).EscapedPath()}
	if pack, rest, ok := strings.Cut(strings.TrimPrefix(file, folder+"/"), "/"); ok {
		e.Pack, e.File = pack, rest
	} else {
		e.File = pack
	}
	for _, g := range l.settings.Groups {
		if slices.ContainsFunc(g.Globs, func(glob string) bool { return match(glob, "/"+file) }) {
			e.Tags = append(e.Tags, g.Name)
			break
		}
	}
	for _, tag := range tags {
		if tag != "" && !slices.Contains(e.Tags, tag) {
			e.Tags = append(e.Tags, tag)
		}
	}
	l.found[code] = e
}

// valid reports whether code can be between colons in a text.
func valid(code string) bool {
	for i := range len(code) {
		c := code[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '+' {
			return false
		}
	}
	return code != ""
}

func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// match reports whether a path matches glob, in which ** is any number of
// folders.
func match(glob, name string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(name, "/"))
}

func matchParts(glob, name []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(name) + 1 {
				if matchParts(glob[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], name[0]); err != nil || !ok {
			return false
		}
		glob, name = glob[1:], name[1:]
	}
	return len(name) == 0
}

// lines parses emoji.txt: "shortcode, file, tag, tag", a line each.
func lines(raw []byte) (files map[string]string, tags map[string][]string) {
	files, tags = map[string]string{}, map[string][]string{}
	scan := bufio.NewScanner(strings.NewReader(string(raw)))
	for scan.Scan() {
		parts := strings.Split(scan.Text(), ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		if len(parts) >= 2 && valid(parts[0]) {
			files[parts[0]], tags[parts[0]] = parts[1], parts[2:]
		}
	}
	return files, tags
}

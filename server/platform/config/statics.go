package config

import (
	"path/filepath"
	"regexp"
	"strings"

	"svc/client/settings/term"
)

// usualStatic is the default static folder, in the data folder.
const usualStatic = "instance/static/"

// StaticFolder returns the folder with replacements of built-in files, for a
// server with the data folder data.
func (s *Settings) StaticFolder(data string) string {
	if s.Instance.StaticDir == usualStatic {
		return filepath.Join(data, "static")
	}
	return In(data, s.Instance.StaticDir)
}

// Frontends is the group :frontends: web clients in the static folder.
type Frontends struct {
	Primary, Admin term.Term // maps with name and ref
	// StaticFE serves the server's own pages in spite of a primary front end.
	StaticFE bool
}

// frontendName matches a folder name without path elements.
var frontendName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// IsFrontendName tells whether a front end, or a version of one, can have this name.
func IsFrontendName(name string) bool { return frontendName.MatchString(name) }

// Folder returns the folder of a front end, in the static folder; empty for
// none.
func (f *Frontends) Folder(chosen term.Term) string {
	name, ref, _ := frontend(chosen)
	if name == "" {
		return ""
	}
	return "frontends/" + name + "/" + ref
}

// frontend returns a front end's name and version; both are empty for none.
func frontend(t term.Term) (name, ref string, ok bool) {
	if t.IsNil() {
		return "", "", true
	}
	pairs, ok := t.Pairs()
	if !ok {
		return "", "", false
	}
	for _, p := range pairs {
		text, isText := p.Value.Text()
		switch p.Key.PlainName() {
		case "name":
			name, ok = text, ok && isText
		case "ref":
			ref, ok = text, ok && isText
		}
	}
	if len(pairs) == 0 {
		return "", "", true
	}
	return name, ref, ok && IsFrontendName(name) && IsFrontendName(ref)
}

func staticSettings() []Setting {
	choice := func(path string, field func(*Settings) any, description string) Setting {
		s := row(":frontends", path, Any, term.Nil(), field, description).unset()
		s.check = func(value any) bool { _, _, ok := frontend(value.(term.Term)); return ok }
		s.takes = "a map with name and ref: folders in frontends of the static folder"
		return s
	}
	types := row(":types", "", Any, usualTypes(), func(s *Settings) any { return &s.MIMETypes },
		"More media types, and the endings of their files in front ends and below /static; those that the server knows stay as they are").in(":mime")
	types.check = func(value any) bool { _, ok := fileTypes(value.(term.Term)); return ok }
	types.takes = "lists of endings by media type"
	return []Setting{
		row(":instance", ":static_dir", String, usualStatic, func(s *Settings) any { return &s.Instance.StaticDir },
			"Folder of the files that replace built-in ones, from the data folder; instance/static/ stands for static there").filled().locked(),
		choice(":primary", func(s *Settings) any { return &s.Frontends.Primary }, "Front end that is served at the root: its name and version (ref)"),
		choice(":admin", func(s *Settings) any { return &s.Frontends.Admin }, "Front end for admins that is served at /svc/admin: its name and version (ref)"),
		types,
		row(":static_fe", ":enabled", Boolean, false, func(s *Settings) any { return &s.Frontends.StaticFE }, "Whether the server shows its own pages although there is a front end"),
	}
}

func usualTypes() term.Term {
	line := func(name, ending string) term.Pair {
		return term.Pair{Key: term.String(name), Value: term.Strings(ending)}
	}
	return term.MapOf(
		line("application/activity+json", "activity+json"), line("application/jrd+json", "jrd+json"), line("application/ld+json", "activity+json"),
		line("application/xml", "xml"), line("application/xrd+xml", "xrd+xml"),
	)
}

var (
	mediaType  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$`)
	fileEnding = regexp.MustCompile(`^\.?[A-Za-z0-9][A-Za-z0-9_+-]*$`)
)

// TypeOf returns the configured media type of files with an ending, in lower
// case with its dot; "" for none.
func (s *Settings) TypeOf(ending string) string {
	types, _ := fileTypes(s.MIMETypes)
	return types[ending]
}

// fileTypes returns the media types by ending: the first of several.
func fileTypes(t term.Term) (map[string]string, bool) {
	pairs, ok := t.Pairs()
	if !ok {
		return nil, false
	}
	out := map[string]string{}
	for _, p := range pairs {
		endings, ok := texts(p.Value)
		name := p.Key.PlainName()
		if !ok || !mediaType.MatchString(name) {
			return nil, false
		}
		for _, ending := range endings {
			if !fileEnding.MatchString(ending) {
				return nil, false
			}
			ending = "." + strings.ToLower(strings.TrimPrefix(ending, "."))
			if out[ending] == "" {
				out[ending] = strings.ToLower(name)
			}
		}
	}
	return out, true
}

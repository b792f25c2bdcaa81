package config

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"svc/client/settings/term"
	"svc/server/platform/text"
)

// Saved is the saved value of a group and key in wire form: a layer over the
// built-in values and the operator's file.
type Saved struct {
	Group, Key string
	Value      term.Term
}

// Listed is a group and key with its value in effect. Names are the saved
// subkeys, or the key if the saved value has none; nil if nothing was saved.
type Listed struct {
	Group, Key string
	Value      term.Term
	Names      []string
}

// With returns s with saved values over it. Unreadable ones are skipped and
// reported by name alone.
func (s *Settings) With(saved []Saved) (Settings, []error) {
	out := *s
	if len(saved) == 0 {
		return out, nil
	}
	var wrong []error
	all := registry()
	for _, one := range saved {
		rows := about(all, one.Group, one.Key)
		if len(rows) == 0 {
			continue
		}
		whole := term.MergeFor(one.Group, one.Key, s.under(rows), one.Value)
		for _, row := range rows {
			if row.Inert() {
				continue
			}
			// An unsaved setting keeps its value without a conversion.
			if _, found, err := row.read(one.Value); !found || err != nil {
				if err != nil {
					wrong = append(wrong, err)
				}
				continue
			}
			value, _, err := row.read(whole)
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			row.store(&out, value)
		}
	}
	return out, wrong
}

// Check reports the parts of value that no setting accepts. The errors are for
// people and never quote the value.
func Check(group, key string, value term.Term) []error {
	var wrong []error
	for _, row := range about(registry(), group, key) {
		_, _, err := row.read(value)
		if err != nil && !slices.ContainsFunc(wrong, func(e error) bool { return e.Error() == err.Error() }) {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// List returns every setting in effect if saved lies over s, without locked
// ones, by group and key.
func (s *Settings) List(saved []Saved, unlocked Unlocked) []Listed {
	acting, _ := unlocked.Acting(saved)
	var out []Listed
	all := registry()
	at := map[[2]string]bool{}
	for _, row := range all {
		name := [2]string{row.Group, row.Key}
		if at[name] {
			continue
		}
		at[name] = true
		if value := s.under(about(all, row.Group, row.Key)); !value.IsNil() || len(row.Path) > 0 {
			out = append(out, Listed{Group: row.Group, Key: row.Key, Value: value})
		}
	}
	for n, one := range acting {
		i := slices.IndexFunc(out, func(l Listed) bool { return l.Group == one.Group && l.Key == one.Key })
		if i < 0 {
			out = append(out, Listed{Group: one.Group, Key: one.Key, Value: one.Value})
			i = len(out) - 1
		} else {
			out[i].Value = term.MergeFor(one.Group, one.Key, out[i].Value, one.Value)
		}
		out[i].Value = shown(one.Group, one.Key, out[i].Value)
		out[i].Names = saved[n].Names()
	}
	slices.SortFunc(out, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// shown returns a value in its listed form: a list of accounts by host may be
// saved as a map, which admin forms cannot show in place of a whole value.
func shown(group, key string, value term.Term) term.Term {
	for _, row := range about(registry(), group, key) {
		if row.Kind != Allowlist || len(row.Path) > 0 {
			continue
		}
		if decoded, ok := row.decode(value); ok {
			value, _ = row.encode(decoded)
		}
	}
	return value
}

// Names returns the first-level keys of a saved keyword list, or the key for
// any other value; nil for an empty list.
func (s Saved) Names() []string {
	if !s.Value.IsKeyword() {
		return []string{s.Key}
	}
	if keys := s.Value.Keys(); len(keys) > 0 {
		return keys
	}
	return nil
}

func about(registry []Setting, group, key string) []Setting {
	var out []Setting
	for _, row := range registry {
		if row.Group == group && row.Key == key {
			out = append(out, row)
		}
	}
	return out
}

// under returns the value of a key, with these rows, before anything is saved.
// It is null for an unset whole value.
func (s *Settings) under(rows []Setting) term.Term {
	return nest(s, rows, 0)
}

// nest builds the keyword lists and maps around rows with the same first depth
// words of their paths.
func nest(s *Settings, rows []Setting, depth int) term.Term {
	if first := rows[0]; len(first.Path) == depth {
		value, _ := first.encode(first.Value(s))
		return value
	}
	var pairs []term.Pair
	isMap := false
	for i, row := range rows {
		word := row.Path[depth]
		same := func(r Setting) bool { return r.Path[depth] == word }
		if slices.ContainsFunc(rows[:i], same) {
			continue
		}
		if len(row.Path) == depth+1 {
			isMap = isMap || row.Map
			if value, listed := row.encode(row.Value(s)); listed {
				pairs = append(pairs, term.Entry(word, value))
			}
			continue
		}
		var inner []Setting
		for _, r := range rows[i:] {
			if same(r) {
				inner = append(inner, r)
			}
		}
		pairs = append(pairs, term.Entry(word, nest(s, inner, depth+1)))
	}
	if isMap {
		return term.MapOf(pairs...)
	}
	return term.Keyword(pairs...)
}

// Live holds the current snapshot for readers in many goroutines.
type Live struct {
	current atomic.Pointer[Settings]
	texts   atomic.Pointer[text.Rules]

	mu    sync.Mutex // of who changes it
	base  Settings
	saved []Saved
	hear  []func(before, now *Settings)
}

// OnChange registers fn for every later change of the settings. fn must be quick.
func (l *Live) OnChange(fn func(before, now *Settings)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hear = append(l.hear, fn)
}

// NewLive starts with s, which must be valid for Swap.
func NewLive(s Settings) (*Live, error) {
	l := &Live{}
	return l, l.Swap(s)
}

// Load returns the current snapshot. Take it once per piece of work, so that
// one answer is made from one state.
func (l *Live) Load() *Settings { return l.current.Load() }

// Base returns the settings below the saved ones: the operator's over the
// built-in ones. It must not be changed.
func (l *Live) Base() *Settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	base := l.base
	return &base
}

// Swap replaces the settings below the saved ones. Invalid ones are refused as
// Problems and change nothing.
func (l *Live) Swap(s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base = s
	l.join()
	return nil
}

// Save replaces all saved rows, and reports the parts that no setting accepts,
// by name; these are skipped.
func (l *Live) Save(rows []Saved) []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = rows
	return l.join()
}

func (l *Live) join() []error {
	s, wrong := l.base.With(l.saved)
	l.texts.Store(text.NewRules(text.Choices{
		Rel: s.Formatter.Rel, Truncate: s.Formatter.Truncate, StripPrefix: s.Formatter.StripPrefix, Extra: s.Formatter.Extra,
		Schemes: s.ValidSchemes, InlineImages: s.Markup.AllowInlineImages, Headings: s.Markup.AllowHeadings,
		Tables: s.Markup.AllowTables, Fonts: s.Markup.AllowFonts,
		Class: s.Formatter.class(), NewWindow: s.Formatter.NewWindow, KnownTLD: s.Formatter.knownTLD(),
	}))
	before := l.current.Swap(&s)
	for _, fn := range l.hear {
		fn(before, &s)
	}
	return wrong
}

// Texts returns the compiled text rules of the current snapshot.
func (l *Live) Texts() *text.Rules { return l.texts.Load() }

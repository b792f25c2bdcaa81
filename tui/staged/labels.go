package staged

import (
	"errors"
	"fmt"
	"strings"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/shown"
)

// Reason words why an action failed.
func Reason(err error) string {
	var conflict *action.Conflict
	if errors.As(err, &conflict) {
		return safe.Line(conflict.Error())
	}
	if err == nil {
		return "not sent"
	}
	return shown.Wording(err).String()
}

// ShortLabel is the label of an item, of a play its name.
func ShortLabel(item *Item) string {
	if item.Play {
		return PlayName(item)
	}
	return item.Label
}

// PlayName is the label of a play without its steps: "spam on @kim".
func PlayName(item *Item) string {
	name, _, _ := strings.Cut(item.Label, ": ")
	return name
}

// Label is the action as the outbox shows it: "resolve 9xA0z",
// "resolve 12 (9xA0z, 9x9zz, 9x9kk +9)", or "tag add kim: mrf_tag:sandbox".
func Label(kind action.Kind, actions []action.Action) string {
	label := Objects(kind, actions)
	if content := actions[0].Content(); content != "" {
		label += ": " + safe.Line(content)
	}
	return label
}

// Objects is a change with its objects, without its content.
func Objects(kind action.Kind, actions []action.Action) string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = ObjectName(kind, a.Target)
	}
	if len(names) == 1 {
		return kind.Verb() + " " + names[0]
	}
	return fmt.Sprintf("%s %d (%s)", kind.Verb(), len(names), shown.Some(names))
}

// ObjectName is a target as people know it: an account's name, else the end of
// an id.
func ObjectName(kind action.Kind, target string) string {
	_, name, _ := strings.Cut(target, "/")
	switch kind.Noun() {
	case "host", "mail-domain":
		return safe.Line(name)
	case "user":
		return shown.Acct(strings.TrimPrefix(name, "id:")).String()
	}
	if _, address, ok := strings.Cut(name, "://"); ok {
		return safe.Truncate(safe.Line(address), 40, "~")
	}
	return shown.ShortID(name)
}

// AlreadyDone names who did the same before us: "already resolved by tess".
func AlreadyDone(r action.Result) string {
	if r.Meanwhile == nil {
		return "was so already"
	}
	return safe.Line("already " + r.Meanwhile.Now + " by " + r.Meanwhile.By)
}

package action

import (
	"strconv"
	"strings"

	"svc/client/api"
)

// ThreadStatus is a status with its place in a thread.
type ThreadStatus struct {
	api.AdminStatus
	Depth int  // how many statuses above it are shown that it answers
	Asked bool // the thread was asked for by this one
}

// ThreadOf puts a thread in the order to show, each status one deeper than what it
// answers.
func ThreadOf(thread *api.AdminContext) []ThreadStatus {
	depths, out := map[string]int{}, []ThreadStatus{}
	add := func(s api.AdminStatus, asked bool) {
		parent := ""
		if s.InReplyToID != nil {
			parent = *s.InReplyToID
		}
		depth := 0
		if above, known := depths[parent]; known {
			depth = above + 1
		} else if len(out) > 0 && !asked {
			depth = 1 // its parent is not shown
		}
		depths[s.ID] = depth
		out = append(out, ThreadStatus{s, depth, asked})
	}
	for _, s := range thread.Ancestors {
		add(s, false)
	}
	add(thread.Status, true)
	for _, s := range thread.Descendants {
		add(s, false)
	}
	return out
}

// States are the states of a status in a thread and of its author, in words.
func (s ThreadStatus) States() string {
	var states []string
	if d := s.Svc.Deleted; d != nil {
		by := d.By
		if d.Nickname != "" {
			by = d.Nickname
		}
		states = append(states, "deleted by "+by)
	}
	if s.Account.Deactivated {
		states = append(states, "author deactivated")
	}
	for _, flag := range StatusFlags(s.AdminStatus) {
		if flag != "reply" { // most of them are replies
			states = append(states, flag)
		}
	}
	return strings.Join(states, ", ")
}

// StatusFlags are what a list of statuses says of one beside its text: sensitive,
// media:2, reblog, reply.
func StatusFlags(s api.AdminStatus) []string {
	var flags []string
	if s.Sensitive {
		flags = append(flags, "sensitive")
	}
	if n := len(s.MediaAttachments); n > 0 {
		flags = append(flags, "media:"+strconv.Itoa(n))
	}
	if s.Reblog != nil {
		flags = append(flags, "reblog")
	}
	if s.InReplyToID != nil {
		flags = append(flags, "reply")
	}
	return flags
}

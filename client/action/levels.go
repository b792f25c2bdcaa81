package action

import "time"

// Confirmation is how much asking an action needs before it is sent.
type Confirmation int

const (
	L0 Confirmation = iota // none: reversible, and one object
	L1                     // yes or no: irreversible, or several objects
	L2                     // the name or the count is typed
)

// ManyTargets is the number of objects above which any change needs L2.
const ManyTargets = 20

// Irreversible tells whether no other action brings back what k takes away.
// Deactivation counts: the follows it cuts do not return with activation.
func (k Kind) Irreversible() bool {
	switch k {
	case StatusDelete, ReportNoteDelete, UserDeactivate, UserDelete, UserForceReset, UserDisableMFA,
		InviteRevoke, AppDelete, ChatMessageDelete:
		return true
	}
	return false
}

// grave tells what is typed out even for one object.
func (k Kind) grave() bool { return k == UserDelete || k == UserMakeAdmin }

// Level is how much asking it takes to do k to n objects; a protected context
// asks one level more, and the highest stays L2.
func Level(k Kind, n int, protected bool) Confirmation {
	level := L0
	switch {
	case n > ManyTargets, k.grave():
		level = L2
	case n > 1 || k.Irreversible():
		level = L1
	}
	if protected && level < L2 {
		level++
	}
	return level
}

// Delay is how long the terminal UI holds k back so that it can be cancelled.
func Delay(k Kind) time.Duration {
	switch k {
	case StatusDelete, UserDeactivate:
		return 8 * time.Second
	}
	return 4 * time.Second
}

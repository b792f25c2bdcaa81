package action

// Confirmation is how much asking an action needs before it is sent.
type Confirmation int

const (
	L0 Confirmation = iota // none: reversible, and one object
	L1                     // yes or no: irreversible, or several objects
	L2                     // the name or the count is typed
)

// ManyTargets is the number of objects above which any change needs L2.
const ManyTargets = 20

// Level is how much asking it takes to do k to n objects; a protected context
// asks one level more, and the highest stays L2.
func Level(k Kind, n int, protected bool) Confirmation {
	facts := k.facts()
	level := Count(n, false)
	switch {
	case facts.grave:
		level = L2
	case facts.loss != "":
		level = max(level, L1)
	}
	return raised(level, protected)
}

// Count is how much asking it takes for the number of objects alone.
func Count(n int, protected bool) Confirmation {
	level := L0
	switch {
	case n > ManyTargets:
		level = L2
	case n > 1:
		level = L1
	}
	return raised(level, protected)
}

func raised(level Confirmation, protected bool) Confirmation {
	if protected && level < L2 {
		level++
	}
	return level
}

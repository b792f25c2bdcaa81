package draw

// Layout is how the room between header and footer is divided.
type Layout struct {
	Width    int
	Body     int  // lines between header and footer
	List     int  // rows of a list, without its heads
	Evidence int  // lines of the pane beside or below it, 0 for none
	Beside   bool // the pane is to the right
	Pane     int  // cells of the list where the pane is beside it
}

const (
	besideWidth = 100
	// From here on the list has ids and messages too.
	WideWidth = 160
	// Smaller than this there is room for the list alone.
	leastWidth  = 60
	leastHeight = 15
)

// NewLayout divides a terminal of this size, of which body lines are left.
func NewLayout(width, height, body int) Layout {
	d := Layout{Width: width, Body: max(2, body)}
	switch {
	case width < leastWidth || height < leastHeight || d.Body < 8:
		d.List = d.Body - 1
	case width >= besideWidth:
		d.List, d.Evidence, d.Beside = d.Body-1, d.Body, true
		d.Pane = min(64, max(50, width*12/25))
		if width >= WideWidth {
			d.Pane = width * 11 / 20
		}
	default:
		// Two of the lines are the heads and the rule between the panes.
		d.Evidence = (d.Body - 2) * 2 / 5
		d.List = d.Body - 2 - d.Evidence
	}
	return d
}

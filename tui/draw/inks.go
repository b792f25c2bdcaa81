package draw

import (
	"hash/fnv"
	"slices"
)

// Ink is the meaning of a piece of text; a theme gives it a look. Words or
// characters always repeat the meaning of a colour.
type Ink int

const (
	InkPlain  Ink = iota
	InkDim        // metadata, units
	InkRule       // lines between panes
	InkHeader     // the second line at the top
	InkTab        // the screen in front, among the tabs
	InkStrong     // names, heads
	InkKey        // keys
	InkMark       // marked rows and posts
	InkGood       // live, done
	InkWarn       // staged, waiting, look-alikes
	InkBad        // failed, offline

	InkOpen     // the states of a report
	InkResolved //
	InkClosed   //
	InkGone     //

	InkWarm   // waits for hours
	InkHot    // waits for days
	InkRepeat // reported again and again
	InkServer // the server of an account
	InkChip   // tags and roles
	InkQuote  // words of the reporter
	InkNote   // words of moderators
	InkPost   // the reported text
	InkAccent // the bar beside a post
	InkChosen // the bar beside the selected one

	InkBlue // contexts
	InkCyan
	InkGreen
	InkAmber
	InkRed
	InkViolet

	inkCount

	InkUnder  Ink = 1 << 8 // added to others: under the cursor
	InkCursor     = InkStrong | InkUnder
)

// ContextColours are the names that Options.Colour takes.
func ContextColours() []string {
	return []string{"blue", "cyan", "green", "amber", "red", "violet"}
}

// ContextInk is the ink of a context: by the name of a colour, else one that stays with
// the name of the context.
func ContextInk(name, colour string) Ink {
	hues := ContextColours()
	if i := slices.Index(hues, colour); i >= 0 {
		return InkBlue + Ink(i)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return InkBlue + Ink(h.Sum32()%uint32(len(hues)))
}

// StateInk is the ink of the state of a report.
func StateInk(state string) Ink {
	switch state {
	case "open":
		return InkOpen
	case "resolved":
		return InkResolved
	case "closed":
		return InkClosed
	case "gone":
		return InkGone
	}
	return InkPlain
}

// tint is the look of an ink: a colour where the terminal has many, and one of
// its sixteen where it does not.
type tint struct {
	hex, ansi             string
	ground, groundANSI    string
	bold, italic, reverse bool
}

// palette has the tints of a theme.
type palette struct {
	name string
	// grounds are the backgrounds of terminals that the tints are made for: the
	// plainest, and the one that is hardest to read on.
	grounds [2]string

	cursorGround, cursorText     string
	cursorGroundANSI, cursorANSI string
	flat                         bool // the row under the cursor is in one colour
	marked                       bool // characters repeat all that colour says
	fills                        bool // grounds[0] is painted
	tints                        map[Ink]tint
}

var palettes = []palette{
	{
		name: "dark", grounds: [2]string{"#000000", "#242424"},
		cursorGround: "#16283f", cursorText: "#e6e6e6", cursorGroundANSI: "4", cursorANSI: "15",
		tints: map[Ink]tint{
			InkPlain: {}, InkDim: {hex: "#9c9c9c", ansi: "8"}, InkRule: {hex: "#9e9e9e", ansi: "8"}, InkHeader: {hex: "#c4c4c4"},
			InkTab: {hex: "#ffffff", ansi: "15", ground: "#3a68a8", groundANSI: "4", bold: true}, InkStrong: {hex: "#f0f0f0", bold: true},
			InkKey: {hex: "#8fd7ff", ansi: "14"}, InkMark: {hex: "#8fd7ff", ansi: "14", bold: true},
			InkGood: {hex: "#7bd88f", ansi: "10"}, InkWarn: {hex: "#ffb454", ansi: "11"}, InkBad: {hex: "#ff8a80", ansi: "9", bold: true},
			InkOpen: {hex: "#ffb454", ansi: "11"}, InkResolved: {hex: "#7bd88f", ansi: "10"}, InkClosed: {hex: "#b4b4b4", ansi: "7"}, InkGone: {hex: "#9c9c9c", ansi: "8"},
			InkWarm: {hex: "#ffd787", ansi: "11"}, InkHot: {hex: "#ff9e64", ansi: "9"}, InkRepeat: {hex: "#ff9ecf", ansi: "13", bold: true},
			InkServer: {hex: "#9fc3ff", ansi: "12"}, InkChip: {hex: "#cdb4ff", ansi: "13"},
			InkQuote: {hex: "#f2d8a0", ansi: "3", italic: true}, InkNote: {hex: "#a5dcc9", ansi: "6"}, InkPost: {hex: "#ffffff", ansi: "15"},
			InkAccent: {hex: "#9e9e9e", ansi: "8"}, InkChosen: {hex: "#ffd75f", ansi: "11", bold: true},
			InkBlue: {hex: "#8fb8ff", ansi: "12"}, InkCyan: {hex: "#6fdfdf", ansi: "14"}, InkGreen: {hex: "#8fd98f", ansi: "10"},
			InkAmber: {hex: "#ffc45c", ansi: "11"}, InkRed: {hex: "#ff9a92", ansi: "9"}, InkViolet: {hex: "#cfa8ff", ansi: "13"},
		},
	},
	{
		name: "light", grounds: [2]string{"#ffffff", "#fdf6e3"},
		cursorGround: "#d7ffff", cursorText: "#101010", cursorGroundANSI: "14", cursorANSI: "0",
		tints: map[Ink]tint{
			InkPlain: {}, InkDim: {hex: "#595959", ansi: "8"}, InkRule: {hex: "#626262", ansi: "8"}, InkHeader: {hex: "#404040"},
			InkTab: {hex: "#ffffff", ansi: "15", ground: "#2a5da8", groundANSI: "4", bold: true}, InkStrong: {hex: "#000000", bold: true},
			InkKey: {hex: "#1646b0", ansi: "4"}, InkMark: {hex: "#1646b0", ansi: "4", bold: true},
			InkGood: {hex: "#1a6428", ansi: "2"}, InkWarn: {hex: "#7a4300", ansi: "5"}, InkBad: {hex: "#a8201a", ansi: "1", bold: true},
			InkOpen: {hex: "#7a4300", ansi: "5"}, InkResolved: {hex: "#1a6428", ansi: "2"}, InkClosed: {hex: "#505050", ansi: "8"}, InkGone: {hex: "#595959", ansi: "8"},
			InkWarm: {hex: "#6b4e00", ansi: "5"}, InkHot: {hex: "#9a3400", ansi: "1"}, InkRepeat: {hex: "#961158", ansi: "5", bold: true},
			InkServer: {hex: "#1646b0", ansi: "4"}, InkChip: {hex: "#5b2aa0", ansi: "5"},
			InkQuote: {hex: "#5a4300", ansi: "0", italic: true}, InkNote: {hex: "#1b564c", ansi: "6"}, InkPost: {hex: "#000000", ansi: "0"},
			InkAccent: {hex: "#626262", ansi: "8"}, InkChosen: {hex: "#8f3500", ansi: "1", bold: true},
			InkBlue: {hex: "#1646b0", ansi: "4"}, InkCyan: {hex: "#005866", ansi: "6"}, InkGreen: {hex: "#1a6428", ansi: "2"},
			InkAmber: {hex: "#6b4e00", ansi: "5"}, InkRed: {hex: "#a8201a", ansi: "1"}, InkViolet: {hex: "#5b2aa0", ansi: "5"},
		},
	},
	{
		name: "contrast", grounds: [2]string{"#000000", "#000000"}, flat: true, marked: true, fills: true,
		cursorGround: "#ffffff", cursorText: "#000000", cursorGroundANSI: "15", cursorANSI: "0",
		tints: filled(map[Ink]tint{
			InkRule: {hex: "#ffffff"}, InkTab: {hex: "#000000", ansi: "0", ground: "#ffffff", groundANSI: "15", bold: true},
			InkStrong: {bold: true}, InkKey: {hex: "#00ffff", ansi: "14", bold: true}, InkMark: {hex: "#00ffff", ansi: "14", bold: true},
			InkGood: {hex: "#40ff40", ansi: "10"}, InkWarn: {hex: "#ffff00", ansi: "11", bold: true}, InkBad: {hex: "#ff9090", ansi: "9", bold: true},
			InkOpen: {hex: "#ffff00", ansi: "11"}, InkResolved: {hex: "#40ff40", ansi: "10"}, InkHot: {hex: "#ffc080", ansi: "11", bold: true},
			InkRepeat: {hex: "#ffa0ff", ansi: "13", bold: true}, InkQuote: {italic: true}, InkPost: {bold: true}, InkChosen: {hex: "#ffff00", ansi: "11", bold: true},
		}),
	},
	{name: "mono", marked: true},
}

// filled gives white to every ink that has no colour.
func filled(tints map[Ink]tint) map[Ink]tint {
	for i := InkPlain; i < inkCount; i++ {
		n := tints[i]
		if n.hex == "" {
			n.hex, n.ansi = "#ffffff", "15"
		}
		if n.groundANSI == "" {
			n.groundANSI = "0"
		}
		tints[i] = n
	}
	return tints
}

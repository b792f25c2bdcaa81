package tui

// ink is the meaning of a piece of text; a theme gives it a look. Words or
// characters always repeat the meaning of a colour.
type ink int

const (
	inkPlain  ink = iota
	inkDim        // metadata, units
	inkRule       // lines between panes
	inkHeader     // the second line at the top
	inkTab        // the screen in front, among the tabs
	inkStrong     // names, heads
	inkKey        // keys
	inkMark       // marked rows and posts
	inkGood       // live, done
	inkWarn       // staged, waiting, look-alikes
	inkBad        // failed, offline

	inkOpen     // the states of a report
	inkResolved //
	inkClosed   //
	inkGone     //

	inkWarm   // waits for hours
	inkHot    // waits for days
	inkRepeat // reported again and again
	inkServer // the server of an account
	inkChip   // tags and roles
	inkQuote  // words of the reporter
	inkNote   // words of moderators
	inkPost   // the reported text
	inkAccent // the bar beside a post
	inkChosen // the bar beside the selected one

	inkBlue // contexts
	inkCyan
	inkGreen
	inkAmber
	inkRed
	inkViolet

	inkCount

	inkUnder  ink = 1 << 8 // added to others: under the cursor
	inkCursor     = inkStrong | inkUnder
)

// ContextColours are the names that Options.Colour takes.
func ContextColours() []string {
	return []string{"blue", "cyan", "green", "amber", "red", "violet"}
}

// stateInk is the ink of the state of a report.
func stateInk(state string) ink {
	switch state {
	case "open":
		return inkOpen
	case "resolved":
		return inkResolved
	case "closed":
		return inkClosed
	case "gone":
		return inkGone
	}
	return inkPlain
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
	tints                        map[ink]tint
}

var palettes = []palette{
	{
		name: "dark", grounds: [2]string{"#000000", "#242424"},
		cursorGround: "#16283f", cursorText: "#e6e6e6", cursorGroundANSI: "4", cursorANSI: "15",
		tints: map[ink]tint{
			inkPlain: {}, inkDim: {hex: "#9c9c9c", ansi: "8"}, inkRule: {hex: "#9e9e9e", ansi: "8"}, inkHeader: {hex: "#c4c4c4"},
			inkTab: {hex: "#ffffff", ansi: "15", ground: "#3a68a8", groundANSI: "4", bold: true}, inkStrong: {hex: "#f0f0f0", bold: true},
			inkKey: {hex: "#8fd7ff", ansi: "14"}, inkMark: {hex: "#8fd7ff", ansi: "14", bold: true},
			inkGood: {hex: "#7bd88f", ansi: "10"}, inkWarn: {hex: "#ffb454", ansi: "11"}, inkBad: {hex: "#ff8a80", ansi: "9", bold: true},
			inkOpen: {hex: "#ffb454", ansi: "11"}, inkResolved: {hex: "#7bd88f", ansi: "10"}, inkClosed: {hex: "#b4b4b4", ansi: "7"}, inkGone: {hex: "#9c9c9c", ansi: "8"},
			inkWarm: {hex: "#ffd787", ansi: "11"}, inkHot: {hex: "#ff9e64", ansi: "9"}, inkRepeat: {hex: "#ff9ecf", ansi: "13", bold: true},
			inkServer: {hex: "#9fc3ff", ansi: "12"}, inkChip: {hex: "#cdb4ff", ansi: "13"},
			inkQuote: {hex: "#f2d8a0", ansi: "3", italic: true}, inkNote: {hex: "#a5dcc9", ansi: "6"}, inkPost: {hex: "#ffffff", ansi: "15"},
			inkAccent: {hex: "#9e9e9e", ansi: "8"}, inkChosen: {hex: "#ffd75f", ansi: "11", bold: true},
			inkBlue: {hex: "#8fb8ff", ansi: "12"}, inkCyan: {hex: "#6fdfdf", ansi: "14"}, inkGreen: {hex: "#8fd98f", ansi: "10"},
			inkAmber: {hex: "#ffc45c", ansi: "11"}, inkRed: {hex: "#ff9a92", ansi: "9"}, inkViolet: {hex: "#cfa8ff", ansi: "13"},
		},
	},
	{
		name: "light", grounds: [2]string{"#ffffff", "#fdf6e3"},
		cursorGround: "#d7ffff", cursorText: "#101010", cursorGroundANSI: "14", cursorANSI: "0",
		tints: map[ink]tint{
			inkPlain: {}, inkDim: {hex: "#595959", ansi: "8"}, inkRule: {hex: "#626262", ansi: "8"}, inkHeader: {hex: "#404040"},
			inkTab: {hex: "#ffffff", ansi: "15", ground: "#2a5da8", groundANSI: "4", bold: true}, inkStrong: {hex: "#000000", bold: true},
			inkKey: {hex: "#1646b0", ansi: "4"}, inkMark: {hex: "#1646b0", ansi: "4", bold: true},
			inkGood: {hex: "#1a6428", ansi: "2"}, inkWarn: {hex: "#7a4300", ansi: "5"}, inkBad: {hex: "#a8201a", ansi: "1", bold: true},
			inkOpen: {hex: "#7a4300", ansi: "5"}, inkResolved: {hex: "#1a6428", ansi: "2"}, inkClosed: {hex: "#505050", ansi: "8"}, inkGone: {hex: "#595959", ansi: "8"},
			inkWarm: {hex: "#6b4e00", ansi: "5"}, inkHot: {hex: "#9a3400", ansi: "1"}, inkRepeat: {hex: "#961158", ansi: "5", bold: true},
			inkServer: {hex: "#1646b0", ansi: "4"}, inkChip: {hex: "#5b2aa0", ansi: "5"},
			inkQuote: {hex: "#5a4300", ansi: "0", italic: true}, inkNote: {hex: "#1b564c", ansi: "6"}, inkPost: {hex: "#000000", ansi: "0"},
			inkAccent: {hex: "#626262", ansi: "8"}, inkChosen: {hex: "#8f3500", ansi: "1", bold: true},
			inkBlue: {hex: "#1646b0", ansi: "4"}, inkCyan: {hex: "#005866", ansi: "6"}, inkGreen: {hex: "#1a6428", ansi: "2"},
			inkAmber: {hex: "#6b4e00", ansi: "5"}, inkRed: {hex: "#a8201a", ansi: "1"}, inkViolet: {hex: "#5b2aa0", ansi: "5"},
		},
	},
	{
		name: "contrast", grounds: [2]string{"#000000", "#000000"}, flat: true, marked: true, fills: true,
		cursorGround: "#ffffff", cursorText: "#000000", cursorGroundANSI: "15", cursorANSI: "0",
		tints: filled(map[ink]tint{
			inkRule: {hex: "#ffffff"}, inkTab: {hex: "#000000", ansi: "0", ground: "#ffffff", groundANSI: "15", bold: true},
			inkStrong: {bold: true}, inkKey: {hex: "#00ffff", ansi: "14", bold: true}, inkMark: {hex: "#00ffff", ansi: "14", bold: true},
			inkGood: {hex: "#40ff40", ansi: "10"}, inkWarn: {hex: "#ffff00", ansi: "11", bold: true}, inkBad: {hex: "#ff9090", ansi: "9", bold: true},
			inkOpen: {hex: "#ffff00", ansi: "11"}, inkResolved: {hex: "#40ff40", ansi: "10"}, inkHot: {hex: "#ffc080", ansi: "11", bold: true},
			inkRepeat: {hex: "#ffa0ff", ansi: "13", bold: true}, inkQuote: {italic: true}, inkPost: {bold: true}, inkChosen: {hex: "#ffff00", ansi: "11", bold: true},
		}),
	},
	{name: "mono", marked: true},
}

// filled gives white to every ink that has no colour.
func filled(tints map[ink]tint) map[ink]tint {
	for i := inkPlain; i < inkCount; i++ {
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

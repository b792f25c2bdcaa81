package tui

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/journal"
	"svc/client/playbook"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/staged"
)

// session is the connection to the server, and who uses it.
type session struct {
	load loader
	account
	instance
	listening
	poll    polling
	renewal *Renewal
	// loginAsked says that a new login was offered since the token was refused.
	loginAsked bool
	present    map[string]presence // other moderators, as the log shows them
	waiting    map[string]int      // work that waits on tables, by their nouns
}

// account is the person's own account.
type account struct {
	me     safe.Safe
	nick   string // as it came
	asked  bool   // whether it is known
	rights keys.Rights
	staff  safe.Staff
	labels map[string]string // of accounts like the staff's, by name
}

// instance is the server as the configuration names it.
type instance struct {
	host        string // its name, printable
	contextName string // as it came
	server      string // its host, for texts
	colour      string // "" for one by its name
	readOnly    bool
	demo        []string
	instances   *Instances // those to switch to
	next        *Options   // of the program that follows this one, nil for none
}

// listening is the stream of moderation.
type listening struct {
	news     <-chan heard
	newsCtx  context.Context // ends with the listening
	stopNews context.CancelFunc
}

// outbox has the person's actions, before and after they are sent.
type outbox struct {
	staged    *staged.Actions
	engine    *action.Engine
	journal   *journal.Journal
	troubles  map[string]string     // why the last action on an object failed, printable
	offered   map[*staged.Item]bool // conflicts that were asked about
	quitting  bool                  // the program ends when all is sent
	playbooks []playbook.Playbook
	templates map[string]string
}

// desk is what is in front of the person: screens, the question and the keys.
type desk struct {
	registry
	visited
	notices
	typing
	keys        *keys.Map // for the person's rights
	allKeys     *keys.Map
	prompt      *prompt
	loginPrompt *prompt           // that waits for a browser
	filters     map[string]string // saved ones, by name
	theme       draw.Theme
	shell
}

// registry has the screens and all that registered with the program.
type registry struct {
	tabs      []tab
	openers   map[string]opener // by their nouns
	observers []observer
	nouns     map[string]*nounScreen // opened ones, by noun and scope
}

// visited are the screens that were opened.
type visited struct {
	visits []screen
	visit  int // the one in front
	former int // the one before, for Last
}

// notices is the notice at the bottom.
type notices struct {
	notice draw.Line
	said   time.Time // when it came
	// heardNotice, when set, is told every notice.
	heardNotice func(text string)
}

// typing tells keys that are meant from accidental ones.
type typing struct {
	firstKey   string    // the first of a doubled key
	lastChange string    // the last key that changes something
	changedAt  time.Time // and when it was last seen
	firstFrame time.Time // since start or resume
}

// shell is the command line behind the palette; nil is for none. commands are the lines
// that were typed, the newest last.
type shell struct {
	commands []string
	cli      func(ctx context.Context, args []string, width int) (string, error)
	complete func(line string) []string
}

// terminal is where the program draws, and its clocks.
type terminal struct {
	tty           io.StringWriter // the terminal, beside the frames
	remote        bool            // it is on another machine
	width, height int
	dragFrom      int // the row where the mouse went down, -1 for none
	wrapped       map[wrapKey][]string
	ticks         int                        // the tick that counts
	browser       func(address string) error // opens one
	clocks
}

// clocks are the ways to wait.
type clocks struct {
	now        func() time.Time // the time on the screen
	timer      func() time.Time // the time for countdowns
	after      func(time.Duration, func() tea.Msg) tea.Cmd
	background func(tea.Cmd) tea.Cmd // carries out a command that waits for news
	jitter     func() float64        // 0 to 1
}

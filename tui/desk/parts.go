package desk

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
	Load loader
	account
	instance
	listening
	Poll    polling
	renewal *Renewal
	// loginAsked says that a new login was offered since the token was refused.
	loginAsked bool
	present    map[string]presence // other moderators, as the log shows them
	Waiting    map[string]int      // work that waits on tables, by their nouns
}

// account is the person's own account.
type account struct {
	Me     safe.Safe
	nick   string // as it came
	asked  bool   // whether it is known
	Rights keys.Rights
	staff  safe.Staff
	labels map[string]string // of accounts like the staff's, by name
}

// instance is the server as the configuration names it.
type instance struct {
	Host        string // its name, printable
	contextName string // as it came
	server      string // its host, for texts
	colour      string // "" for one by its name
	readOnly    bool
	demo        []string
	instances   *Instances // those to switch to
	Next        *Options   // of the program that follows this one, nil for none
}

// listening is the stream of moderation.
type listening struct {
	news     <-chan Heard
	newsCtx  context.Context // ends with the listening
	stopNews context.CancelFunc
}

// outbox has the person's actions, before and after they are sent.
type outbox struct {
	Staged    *staged.Actions
	engine    *action.Engine
	Journal   *journal.Journal
	Troubles  map[string]string     // why the last action on an object failed, printable
	offered   map[*staged.Item]bool // conflicts that were asked about
	quitting  bool                  // the program ends when all is sent
	Playbooks []playbook.Playbook
	templates map[string]string
}

// desk is what is in front of the person: screens, the question and the keys.
type desk struct {
	registry
	visited
	notices
	typing
	Keys        *keys.Map // for the person's rights
	allKeys     *keys.Map
	Prompt      *Prompt
	loginPrompt *Prompt           // that waits for a browser
	filters     map[string]string // saved ones, by name
	Theme       draw.Theme
	shell
}

// registry has the screens and all that registered with the program.
type registry struct {
	Tabs      []Tab
	Openers   map[string]Opener // by their nouns
	Observers []observer
}

// visited are the screens that were opened.
type visited struct {
	visits []Screen
	visit  int // the one in front
	former int // the one before, for Last
}

// notices is the notice at the bottom.
type notices struct {
	Notice draw.Line
	said   time.Time // when it came
	// HeardNotice, when set, is told every notice.
	HeardNotice func(text string)
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
	Cli      func(ctx context.Context, args []string, width int) (string, error)
	complete func(line string) []string
}

// terminal is where the program draws, and its clocks.
type terminal struct {
	Tty           io.StringWriter // the terminal, beside the frames
	Remote        bool            // it is on another machine
	Width, Height int
	dragFrom      int // the row where the mouse went down, -1 for none
	wrapped       map[wrapKey][]string
	Ticks         int                        // the tick that counts
	Browser       func(address string) error // opens one
	clocks
}

// clocks are the ways to wait.
type clocks struct {
	Now        func() time.Time // the time on the screen
	Timer      func() time.Time // the time for countdowns
	After      func(time.Duration, func() tea.Msg) tea.Cmd
	Background func(tea.Cmd) tea.Cmd // carries out a command that waits for news
	Jitter     func() float64        // 0 to 1
}

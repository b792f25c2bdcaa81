package jobs

import "github.com/riverqueue/river"

// FanOut puts a status on the home timelines of its author's local followers,
// where they are too many for the author's own request. After is the follower
// to go on from.
type FanOut struct {
	StatusID string `json:"status_id"`
	After    string `json:"after"`
}

// Kind names the job.
func (FanOut) Kind() string { return "fan_out" }

// Unfollowed removes an author's statuses from the home timeline of someone
// who no longer follows him.
type Unfollowed struct {
	AccountID string `json:"account_id"`
	AuthorID  string `json:"author_id"`
}

// Kind names the job.
func (Unfollowed) Kind() string { return "unfollowed" }

// Unlisted removes the statuses of authors who were taken off a list from its
// timeline; without authors the list is deleted, and all go.
type Unlisted struct {
	ListID    int64    `json:"list_id"`
	AuthorIDs []string `json:"author_ids"`
}

// Kind names the job.
func (Unlisted) Kind() string { return "unlisted" }

// Reindex makes found by search what is older than the search.
type Reindex struct{}

// Kind names the job.
func (Reindex) Kind() string { return "reindex" }

// FetchCard shows what the first page that a status links to says about itself.
// Try counts how often it was asked in vain.
type FetchCard struct {
	StatusID string `json:"status_id"`
	Try      int    `json:"try"`
}

// Kind names the job.
func (FetchCard) Kind() string { return "fetch_card" }

// InsertOpts says where it waits.
func (FetchCard) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueFetch} }

// Sweep removes what has expired: tokens, codes, sessions, mutes, stored
// answers, and home entries of deleted statuses.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "sweep" }

// PublishScheduled posts a scheduled status, if it still waits and its time has
// come: one that was moved has a job of its own.
type PublishScheduled struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (PublishScheduled) Kind() string { return "publish_scheduled" }

// InsertOpts says where it waits.
func (PublishScheduled) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueScheduled} }

// Due posts what is scheduled, and deletes what is over, where the job that
// should have was lost with its process; and adds up what posts were counted.
type Due struct{}

// Kind names the job.
func (Due) Kind() string { return "due" }

// CheckBacklinks finds out which pages that a profile names link back to it.
type CheckBacklinks struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (CheckBacklinks) Kind() string { return "check_backlinks" }

// InsertOpts says where it waits.
func (CheckBacklinks) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueFetch} }

// ExpireStatus deletes a status whose time is over, unless it is pinned.
type ExpireStatus struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (ExpireStatus) Kind() string { return "expire_status" }

// InsertOpts says where it waits.
func (ExpireStatus) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueExpiry} }

// The queues of their own, so that what is slow in one delays nothing else.
const (
	QueueMail        = "mailer"
	QueueFetch       = "remote_fetcher"
	QueueScheduled   = "scheduled_activities"
	QueueExpiry      = "activity_expiration"
	QueueBackup      = "backup"
	QueueAttachments = "attachments_cleanup"
)

// mailOptions are those of jobs that talk to a relay: with River's pauses, the
// attempts are spread over eleven hours.
func mailOptions() river.InsertOpts { return river.InsertOpts{Queue: QueueMail, MaxAttempts: 12} }

// SendMail sends one mail to one address: a template of package mail, filled in
// with Data.
type SendMail struct {
	To       string            `json:"to"`
	Template string            `json:"template"`
	Data     map[string]string `json:"data"`
}

// Kind names the job.
func (SendMail) Kind() string { return "send_mail" }

// InsertOpts says where it waits and how often it is tried.
func (SendMail) InsertOpts() river.InsertOpts { return mailOptions() }

// SendLink mails a user a link that proves that the address is his. The link is
// made when it is sent, so that no queue holds what could be used.
type SendLink struct {
	AccountID string `json:"account_id"`
	Purpose   string `json:"purpose"` // a purpose of db.MailToken
}

// Kind names the job.
func (SendLink) Kind() string { return "send_link" }

// InsertOpts says where it waits and how often it is tried.
func (SendLink) InsertOpts() river.InsertOpts { return mailOptions() }

// Welcome has the instance greet an account that has just become active.
type Welcome struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (Welcome) Kind() string { return "welcome" }

// TellSubscribers notifies those who subscribe to a status's author, where they
// are too many for the author's own request.
type TellSubscribers struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (TellSubscribers) Kind() string { return "tell_subscribers" }

// What an import does.
const (
	ImportFollows = "follow"
	ImportBlocks  = "block"
	ImportMutes   = "mute"
)

// Import has an account follow, block or mute others, as a list that it brought
// along says.
type Import struct {
	AccountID string   `json:"account_id"`
	Verb      string   `json:"verb"`
	Handles   []string `json:"handles"`
}

// Kind names the job.
func (Import) Kind() string { return "import" }

// DigestNewUsers tells admins by mail who is new, once a day.
type DigestNewUsers struct{}

// Kind names the job.
func (DigestNewUsers) Kind() string { return "digest_new_users" }

// CountActivity adds what is new to the instance's activity of each week.
type CountActivity struct{}

// Kind names the job.
func (CountActivity) Kind() string { return "count_activity" }

// MakeBackup makes an archive of what an account made. It may take long.
type MakeBackup struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (MakeBackup) Kind() string { return "make_backup" }

// InsertOpts says where it waits.
func (MakeBackup) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueBackup} }

// EraseAccount removes what a deleted account made, and empties its row or,
// Whole, removes that too.
type EraseAccount struct {
	AccountID string `json:"account_id"`
	Whole     bool   `json:"whole"`
}

// Kind names the job.
func (EraseAccount) Kind() string { return "erase_account" }

// InsertOpts has it wait for what people wait for.
func (EraseAccount) InsertOpts() river.InsertOpts { return river.InsertOpts{Priority: 4} }

// SweepMedia removes uploads that nothing ever showed, and files that nothing
// names any more.
type SweepMedia struct{}

// Kind names the job.
func (SweepMedia) Kind() string { return "sweep_media" }

// InsertOpts says where it waits.
func (SweepMedia) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueAttachments} }

// TellProfile tells other servers what an account's profile is then.
type TellProfile struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (TellProfile) Kind() string { return "tell_profile" }

// TellTally tells other servers how a poll stands then: if anybody voted since
// they were told, or it is Closed.
type TellTally struct {
	StatusID string `json:"status_id"`
	Closed   bool   `json:"closed"`
}

// Kind names the job.
func (TellTally) Kind() string { return "tell_tally" }

// FetchThread fetches what a status replies to, and what that replies to, as far
// up as the settings let it.
type FetchThread struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (FetchThread) Kind() string { return "fetch_thread" }

// InsertOpts says where it waits, and that it is tried a few times: what could
// not be had then is not worth more.
func (FetchThread) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 4}
}

// FetchReplies fetches the replies to a status that its server tells of.
type FetchReplies struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (FetchReplies) Kind() string { return "fetch_replies" }

// InsertOpts says where it waits.
func (FetchReplies) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2}
}

// FetchFeatured fetches the posts that a remote account shows on its profile.
type FetchFeatured struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (FetchFeatured) Kind() string { return "fetch_featured" }

// InsertOpts says where it waits, behind others.
func (FetchFeatured) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2, Priority: 4}
}

// StealEmoji takes over emoji of another server as ones of this. URLs are by
// shortcode.
type StealEmoji struct {
	URLs map[string]string `json:"urls"`
}

// Kind names the job.
func (StealEmoji) Kind() string { return "steal_emoji" }

// InsertOpts says where it waits.
func (StealEmoji) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 3}
}

// WarmMedia has the media proxy fetch files before someone asks for them.
type WarmMedia struct {
	URLs []string `json:"urls"`
}

// Kind names the job.
func (WarmMedia) Kind() string { return "warm_media" }

// InsertOpts says where it waits.
func (WarmMedia) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2}
}

// FollowMoved has those who follow an account that moved follow the one that it
// moved to. After is the follower to go on from.
type FollowMoved struct {
	AccountID string `json:"account_id"`
	TargetID  string `json:"target_id"`
	After     string `json:"after"`
}

// Kind names the job.
func (FollowMoved) Kind() string { return "follow_moved" }

// ForgetReached removes what is known of the servers that statuses of a
// deleted account reached, once they have been told.
type ForgetReached struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (ForgetReached) Kind() string { return "forget_reached" }

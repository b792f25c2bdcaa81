package jobs

import "github.com/riverqueue/river"

// FanOut puts a status on the home timelines of its author's local followers,
// if they are too many for the author's own request. After is the follower to
// continue from.
type FanOut struct {
	StatusID string `json:"status_id"`
	After    string `json:"after"`
}

// Kind names the job.
func (FanOut) Kind() string { return "fan_out" }

// Unfollowed removes an author's statuses from the home timeline of a former
// follower.
type Unfollowed struct {
	AccountID string `json:"account_id"`
	AuthorID  string `json:"author_id"`
}

// Kind names the job.
func (Unfollowed) Kind() string { return "unfollowed" }

// Unlisted removes the statuses of removed members from a list's timeline;
// without authors the list is deleted, and all are removed.
type Unlisted struct {
	ListID    int64    `json:"list_id"`
	AuthorIDs []string `json:"author_ids"`
}

// Kind names the job.
func (Unlisted) Kind() string { return "unlisted" }

// Untagged removes the statuses of a hashtag that is followed no more from a home timeline.
type Untagged struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (Untagged) Kind() string { return "untagged" }

// Settle goes on with what follows from showing or hiding an account: the counters
// of its followers if they are many, and the follows that it loses.
type Settle struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (Settle) Kind() string { return "settle" }

// DeleteRest removes what a deleted status left because it was much: reblogs,
// favourites and the like.
type DeleteRest struct {
	StatusID string `json:"status_id"`
	PollID   int64  `json:"poll_id"`
}

// Kind names the job.
func (DeleteRest) Kind() string { return "delete_rest" }

// ChangeReblogs goes on with what a change of a status means to its reblogs, which
// are many: the next ones after one, by id, show the changed status, or with Cut
// those by others are removed. With Edited, those who made them here are told.
type ChangeReblogs struct {
	StatusID string `json:"status_id"`
	After    string `json:"after,omitempty"`
	Cut      bool   `json:"cut,omitempty"`
	Edited   bool   `json:"edited,omitempty"`
}

// Kind names the job.
func (ChangeReblogs) Kind() string { return "change_reblogs" }

// AdoptReplies goes on to join the replies that waited for a status and are many.
type AdoptReplies struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (AdoptReplies) Kind() string { return "adopt_replies" }

// MergeThreads goes on to merge a large thread into that of a status, which was Into.
type MergeThreads struct {
	From     int64  `json:"from"`
	Into     int64  `json:"into"`
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (MergeThreads) Kind() string { return "merge_threads" }

// ForgetVotes goes on to remove the votes for former options of a poll: those from
// before a moment, in microseconds.
type ForgetVotes struct {
	PollID int64 `json:"poll_id"`
	Before int64 `json:"before"`
}

// Kind names the job.
func (ForgetVotes) Kind() string { return "forget_votes" }

// ChangeNotifications goes on with the notifications of an account up to one, which
// are many: they are marked as seen, or with Clear removed. With a status, only those
// about its thread are.
type ChangeNotifications struct {
	AccountID string `json:"account_id"`
	UpTo      int64  `json:"up_to"`
	Clear     bool   `json:"clear,omitempty"`
	StatusID  string `json:"status_id,omitempty"`
}

// Kind names the job.
func (ChangeNotifications) Kind() string { return "change_notifications" }

// ForgetApp goes on to remove the tokens and codes of an app that is gone.
type ForgetApp struct {
	AppID int64 `json:"app_id"`
}

// Kind names the job.
func (ForgetApp) Kind() string { return "forget_app" }

// Reindex indexes rows that are older than the search index.
type Reindex struct{}

// Kind names the job.
func (Reindex) Kind() string { return "reindex" }

// MeasureMedia measures pictures of earlier releases.
type MeasureMedia struct{}

// Kind names the job.
func (MeasureMedia) Kind() string { return "measure_media" }

// FetchCard makes the preview of a status's first link. Try counts failed
// attempts.
type FetchCard struct {
	StatusID string `json:"status_id"`
	Try      int    `json:"try"`
}

// Kind names the job.
func (FetchCard) Kind() string { return "fetch_card" }

// InsertOpts says where it waits.
func (FetchCard) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueFetch} }

// Sweep removes expired tokens, codes, sessions, mutes, stored answers, and
// home entries of deleted statuses.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "sweep" }

// PublishScheduled posts a scheduled status if it is still due: a moved one has
// a job of its own.
type PublishScheduled struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (PublishScheduled) Kind() string { return "publish_scheduled" }

// InsertOpts says where it waits.
func (PublishScheduled) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueScheduled} }

// TurnAnnouncements tells streams of announcements that begin or cease to be shown.
type TurnAnnouncements struct{}

// Kind names the job.
func (TurnAnnouncements) Kind() string { return "turn_announcements" }

// InsertOpts says where it waits.
func (TurnAnnouncements) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueScheduled}
}

// ForgetAnnouncement removes who has read a deleted announcement and reacted to it.
type ForgetAnnouncement struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (ForgetAnnouncement) Kind() string { return "forget_announcement" }

// Due posts scheduled statuses, and deletes expired ones, whose jobs were lost
// with their process; and adds up tallies.
type Due struct{}

// Kind names the job.
func (Due) Kind() string { return "due" }

// CheckBacklinks verifies the pages that a profile links to.
type CheckBacklinks struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (CheckBacklinks) Kind() string { return "check_backlinks" }

// InsertOpts says where it waits.
func (CheckBacklinks) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueFetch} }

// ExpireStatus deletes an expired status, unless it is pinned.
type ExpireStatus struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (ExpireStatus) Kind() string { return "expire_status" }

// InsertOpts says where it waits.
func (ExpireStatus) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueExpiry} }

// The separate queues, so that slow jobs in one delay nothing else.
const (
	QueueMail        = "mailer"
	QueueFetch       = "remote_fetcher"
	QueueScheduled   = "scheduled_activities"
	QueueExpiry      = "activity_expiration"
	QueueBackup      = "backup"
	QueueAttachments = "attachments_cleanup"
	QueuePush        = "web_push"
)

// Queues are all queues of jobs, sorted.
func Queues() []string {
	return []string{QueueExpiry, QueueAttachments, QueueBackup, river.QueueDefault, QueueMail, QueueFetch, QueueScheduled, QueuePush}
}

// mailOptions are the options of mail jobs: with River's pauses, the attempts
// are spread over eleven hours.
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

// SendLink mails a user a link that proves the ownership of the address. The
// link is made when it is sent, so that the queue holds no usable one.
type SendLink struct {
	AccountID string `json:"account_id"`
	Purpose   string `json:"purpose"` // a purpose of db.MailToken
}

// Kind names the job.
func (SendLink) Kind() string { return "send_link" }

// InsertOpts says where it waits and how often it is tried.
func (SendLink) InsertOpts() river.InsertOpts { return mailOptions() }

// Welcome sends the welcome messages to a newly active account.
type Welcome struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (Welcome) Kind() string { return "welcome" }

// AcceptWaiting accepts the follow requests of an account that was unlocked.
type AcceptWaiting struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (AcceptWaiting) Kind() string { return "accept_waiting" }

// TellSubscribers notifies the subscribers of a status's author, if they are
// too many for the author's own request.
type TellSubscribers struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (TellSubscribers) Kind() string { return "tell_subscribers" }

// EndPoll notifies the author and the voters of a poll of its end, if that is still the
// end: an edit may move it. After is the voter to continue behind.
type EndPoll struct {
	PollID int64  `json:"poll_id"`
	End    int64  `json:"end"` // in microseconds
	After  string `json:"after,omitempty"`
}

// Kind names the job.
func (EndPoll) Kind() string { return "end_poll" }

// The kinds of imports.
const (
	ImportFollows = "follow"
	ImportBlocks  = "block"
	ImportMutes   = "mute"
)

// Import imports a list of accounts to follow, block or mute.
type Import struct {
	AccountID string   `json:"account_id"`
	Verb      string   `json:"verb"`
	Handles   []string `json:"handles"`
}

// Kind names the job.
func (Import) Kind() string { return "import" }

// DigestNewUsers mails new users to admins, once a day.
type DigestNewUsers struct{}

// Kind names the job.
func (DigestNewUsers) Kind() string { return "digest_new_users" }

// CountActivity counts new rows in the instance's weekly activity.
type CountActivity struct{}

// Kind names the job.
func (CountActivity) Kind() string { return "count_activity" }

// MakeBackup makes an archive of an account's data. It may take long.
type MakeBackup struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (MakeBackup) Kind() string { return "make_backup" }

// InsertOpts says where it waits.
func (MakeBackup) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueBackup} }

// EraseAccount removes the rows of a deleted account, and empties its own or,
// with Whole, removes that too.
type EraseAccount struct {
	AccountID string `json:"account_id"`
	Whole     bool   `json:"whole"`
}

// Kind names the job.
func (EraseAccount) Kind() string { return "erase_account" }

// InsertOpts puts it behind the jobs that people wait for.
func (EraseAccount) InsertOpts() river.InsertOpts { return river.InsertOpts{Priority: 4} }

// PruneRemotePosts removes old statuses of other servers where the settings say so.
type PruneRemotePosts struct{}

// Kind names the job.
func (PruneRemotePosts) Kind() string { return "prune_remote_posts" }

// InsertOpts puts it behind the jobs that people wait for.
func (PruneRemotePosts) InsertOpts() river.InsertOpts { return river.InsertOpts{Priority: 4} }

// CheckDatabase compares the rows of the database with each other, once a day.
type CheckDatabase struct{}

// Kind names the job.
func (CheckDatabase) Kind() string { return "check_database" }

// InsertOpts puts it behind the jobs that people wait for.
func (CheckDatabase) InsertOpts() river.InsertOpts { return river.InsertOpts{Priority: 4} }

// SweepMedia removes unused uploads and orphaned files.
type SweepMedia struct{}

// Kind names the job.
func (SweepMedia) Kind() string { return "sweep_media" }

// InsertOpts says where it waits.
func (SweepMedia) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: QueueAttachments} }

// TellProfile sends an account's profile to other servers, as it is then.
type TellProfile struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (TellProfile) Kind() string { return "tell_profile" }

// TellTally sends a poll's tallies to other servers, as they are then, if there
// were votes since the last time, or it is Closed.
type TellTally struct {
	StatusID string `json:"status_id"`
	Closed   bool   `json:"closed"`
}

// Kind names the job.
func (TellTally) Kind() string { return "tell_tally" }

// FetchThread fetches the ancestors of a status, as far up as the settings
// allow.
type FetchThread struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (FetchThread) Kind() string { return "fetch_thread" }

// InsertOpts names its queue and few attempts: a status that could not be
// fetched by then is not worth more.
func (FetchThread) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 4}
}

// FetchReplies fetches the replies to a status that its server lists.
type FetchReplies struct {
	StatusID string `json:"status_id"`
}

// Kind names the job.
func (FetchReplies) Kind() string { return "fetch_replies" }

// InsertOpts says where it waits.
func (FetchReplies) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2}
}

// FetchFeatured fetches the pinned statuses of a remote account.
type FetchFeatured struct {
	AccountID string `json:"account_id"`
	Again     int    `json:"again,omitempty"` // how often it was put off
}

// Kind names the job.
func (FetchFeatured) Kind() string { return "fetch_featured" }

// InsertOpts says where it waits, behind others.
func (FetchFeatured) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2, Priority: 4}
}

// StealEmoji copies emoji of another server. URLs are by shortcode.
type StealEmoji struct {
	URLs map[string]string `json:"urls"`
}

// Kind names the job.
func (StealEmoji) Kind() string { return "steal_emoji" }

// InsertOpts says where it waits.
func (StealEmoji) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 3}
}

// WarmMedia fetches files into the media proxy before they are requested.
type WarmMedia struct {
	URLs []string `json:"urls"`
}

// Kind names the job.
func (WarmMedia) Kind() string { return "warm_media" }

// InsertOpts says where it waits.
func (WarmMedia) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 2}
}

// KeepReported fetches the files of other servers that a report shows, for as long as it
// keeps copies of what shows them.
type KeepReported struct {
	ReportID string `json:"report_id"`
}

// Kind names the job.
func (KeepReported) Kind() string { return "keep_reported" }

// InsertOpts says where it waits, and how often it is tried.
func (KeepReported) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueFetch, MaxAttempts: 4}
}

// FollowMoved moves the followers of an account to the target of its move.
// After is the follower to continue from.
type FollowMoved struct {
	AccountID string `json:"account_id"`
	TargetID  string `json:"target_id"`
	After     string `json:"after"`
}

// Kind names the job.
func (FollowMoved) Kind() string { return "follow_moved" }

// ForgetReached removes the inboxes that a deleted account's statuses reached,
// once they got the deletion.
type ForgetReached struct {
	AccountID string `json:"account_id"`
}

// Kind names the job.
func (ForgetReached) Kind() string { return "forget_reached" }

// Push pushes a notification to a device, if both are there and wanted by then.
type Push struct {
	SubscriptionID int64 `json:"subscription_id"`
	NotificationID int64 `json:"notification_id"`
}

// Kind names the job.
func (Push) Kind() string { return "push" }

// InsertOpts says where it waits and how often it is tried: with River's pauses,
// over some six hours.
func (Push) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueuePush, MaxAttempts: 11}
}

// RunTask carries out bulk work that a command on this machine asked for.
type RunTask struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (RunTask) Kind() string { return "run_task" }

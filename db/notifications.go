package db

// The kinds of notification that exist so far.
const (
	NotifyMention       = "mention"
	NotifyFollow        = "follow"
	NotifyFollowRequest = "follow_request"
	NotifyReblog        = "reblog"
	NotifyFavourite     = "favourite"
	NotifyReport        = "svc:report"
)

// Notification tells AccountID what FromID did. Hidden ones are kept for
// receivers who mute or block the sender, and never listed.
type Notification struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	AccountID string
	Type      string
	FromID    string
	StatusID  string // "" when it is about no status
	ReportID  string
	Emoji     string
	Seen      bool
	Hidden    bool
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

package db

// The states of a report.
const (
	ReportOpen     = "open"
	ReportClosed   = "closed"
	ReportResolved = "resolved"
)

// Report is a complaint about an account, with copies of the statuses named.
type Report struct {
	ID         string `gorm:"primaryKey"` // flake
	URI        string `gorm:"column:uri"` // the Flag's id
	AccountID  string // the reported
	ReporterID string
	State      string
	Content    string // as typed, plain text
	Forwarded  bool
	Hidden     bool // the reporter is deactivated
	CreatedAt  Time `gorm:"autoCreateTime:false"`
	UpdatedAt  Time `gorm:"autoUpdateTime:false"`
}

// ReportStatus is a status named by a report. Copy is the Status row as it was
// when the report was filed, as JSON; "" once the report is closed or resolved.
type ReportStatus struct {
	ReportID  string `gorm:"primaryKey"`
	StatusID  string `gorm:"primaryKey"`
	StatusURI string `gorm:"column:status_uri"`
	Position  int
	Copy      string
}

// ReportNote is a moderator's remark on a report.
type ReportNote struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	ReportID  string
	AccountID string
	Content   string
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// LogEntry is one line of the moderation log.
type LogEntry struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	ActorID   string
	Action    string
	Data      map[string]any `gorm:"serializer:json"`
	Message   string
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// TableName is the log's table.
func (LogEntry) TableName() string { return "moderation_log" }

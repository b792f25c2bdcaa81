package api

import "encoding/json"

// LogEntry is one action of a moderator. ID is an integer, Time Unix time;
// Message equals Data.Message.
type LogEntry struct {
	ID      int64   `json:"id"`
	Data    LogData `json:"data"`
	Time    int64   `json:"time"`
	Message string  `json:"message"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes an entry and keeps its bytes in Raw.
func (e *LogEntry) UnmarshalJSON(data []byte) error {
	type plain LogEntry
	if err := json.Unmarshal(data, (*plain)(e)); err != nil {
		return err
	}
	e.Raw = keep(data)
	return nil
}

// LogData is the actor, the action and its subject. The fields after Message depend on the action;
// Subject is a list of LogUser, one LogUser or a LogSubject.
type LogData struct {
	Actor   LogUser `json:"actor"`
	Action  string  `json:"action"`
	Message string  `json:"message"`

	Subject      json.RawMessage `json:"subject,omitempty"`
	Subjects     []LogUser       `json:"subjects,omitempty"`
	SubjectActor *LogUser        `json:"subject_actor,omitempty"`
	SubjectID    string          `json:"subject_id,omitempty"`
	Nicknames    []string        `json:"nicknames,omitempty"`
	Tags         []string        `json:"tags,omitempty"`
	Permission   string          `json:"permission,omitempty"`
	Follower     *LogUser        `json:"follower,omitempty"`
	Followed     *LogUser        `json:"followed,omitempty"`
	Target       string          `json:"target,omitempty"`
	Text         string          `json:"text,omitempty"`
	Sensitive    *bool           `json:"sensitive,omitempty"`
	Visibility   string          `json:"visibility,omitempty"`
}

// LogUser is an account in the log. ID is its serial number, AccountID the
// flake; Type is user where it is sent.
type LogUser struct {
	ID        int64  `json:"id"`
	AccountID string `json:"account_id"`
	Nickname  string `json:"nickname"`
	Type      string `json:"type,omitempty"`
}

// LogSubject is the report or status that an action was about. State is a
// report's.
type LogSubject struct {
	Type  string `json:"type"` // report, status
	ID    string `json:"id"`
	State string `json:"state,omitempty"`
}

// LogQuery selects a page of the log, newest first. The dates are inclusive,
// 2006-01-02T15:04:05 with an optional zone, by default UTC; UserID is the
// actor's serial number, flake or nickname; Search is part of a message. Page
// counts from 1; PageSize 0 is 50.
type LogQuery struct {
	Page      int    `json:"page,omitempty" form:"page"`
	PageSize  int    `json:"page_size,omitempty" form:"page_size"`
	StartDate string `json:"start_date,omitempty" form:"start_date"`
	EndDate   string `json:"end_date,omitempty" form:"end_date"`
	UserID    string `json:"user_id,omitempty" form:"user_id"`
	AccountID string `json:"account_id,omitempty" form:"account_id"` // that entries are about
	Search    string `json:"search,omitempty" form:"search"`
}

package db

// Follow is one account following another, or asking to while pending.
type Follow struct {
	FollowerID string `gorm:"primaryKey"`
	TargetID   string `gorm:"primaryKey"`
	ID         string // flake
	URI        string `gorm:"column:uri"`
	Pending    bool
	Reblogs    bool // boosts are shown
	Notify     bool // subscribed
	Local      bool // the follower is local
	CreatedAt  Time `gorm:"autoCreateTime:false"`
}

// Block is one account blocking another.
type Block struct {
	AccountID string `gorm:"primaryKey"`
	TargetID  string `gorm:"primaryKey"`
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// Mute is one account muting another, until ExpiresAt when it is set.
type Mute struct {
	AccountID     string `gorm:"primaryKey"`
	TargetID      string `gorm:"primaryKey"`
	Notifications bool
	ExpiresAt     Time
	CreatedAt     Time `gorm:"autoCreateTime:false"`
}

// ThreadMute silences a conversation for one account.
type ThreadMute struct {
	AccountID      string `gorm:"primaryKey"`
	ConversationID int64  `gorm:"primaryKey"`
	ExpiresAt      Time
	CreatedAt      Time `gorm:"autoCreateTime:false"`
}

// Favourite is an account's like of a status. Its id pages favourites.
type Favourite struct {
	AccountID string `gorm:"primaryKey"`
	StatusID  string `gorm:"primaryKey"`
	ID        string // flake
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

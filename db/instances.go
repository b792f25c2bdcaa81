package db

// Instance is another server that was heard of.
type Instance struct {
	Host             string `gorm:"primaryKey"`
	CreatedAt        Time   `gorm:"autoCreateTime:false"`
	UnreachableSince Time
	Software         string
	Favicon          string
}

// Setting is one runtime setting kept in the database, its value a term as
// tagged JSON.
type Setting struct {
	Grp       string `gorm:"primaryKey"`
	Key       string `gorm:"primaryKey"`
	Value     string
	CreatedAt Time `gorm:"autoCreateTime:false"`
	UpdatedAt Time `gorm:"autoUpdateTime:false"`
}

// IdempotencyKey is the first answer to a request that carried one. A zero
// Status is a request under way.
type IdempotencyKey struct {
	Key         string `gorm:"primaryKey"`
	Status      int
	ContentType string
	Body        []byte
	RequestID   string
	CreatedAt   Time `gorm:"autoCreateTime:false"`
}

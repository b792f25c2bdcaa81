package api

// EmojiReaction counts one emoji's reactions to a status.
type EmojiReaction struct {
	Name  string `json:"name" schema:"filled"`
	Count int    `json:"count"`
	Me    bool   `json:"me"`
}

// Reaction is an EmojiReaction with the accounts that reacted, earliest first.
type Reaction struct {
	Name     string        `json:"name" schema:"filled"`
	Count    int           `json:"count"`
	Me       bool          `json:"me"`
	Accounts List[Account] `json:"accounts"`
}

// ReactionQuery selects reactions. WithMuted includes those of muted accounts.
type ReactionQuery struct {
	WithMuted bool `json:"with_muted,omitempty" form:"with_muted"`
}

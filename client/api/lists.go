package api

// AccountList is a list of accounts; Mastodon's name is List. Its id is an
// integer printed as a string.
type AccountList struct {
	ID            string `json:"id" schema:"filled"`
	Title         string `json:"title" schema:"filled"`
	RepliesPolicy string `json:"replies_policy" schema:"enum=list followed none"` // of its timeline: list, followed or none
	Exclusive     bool   `json:"exclusive"`                                       // members are left out of the home timeline
}

// NewList is the form of POST /api/v1/lists. A nil RepliesPolicy is "list".
type NewList struct {
	Title         string  `json:"title" form:"title" binding:"required"`
	RepliesPolicy *string `json:"replies_policy,omitempty" form:"replies_policy"`
	Exclusive     *Bool   `json:"exclusive,omitempty" form:"exclusive"`
}

// ListForm is the form of PUT /api/v1/lists/:id, where nil stays as it is. One field must
// be there.
type ListForm struct {
	Title         *string `json:"title,omitempty" form:"title"`
	RepliesPolicy *string `json:"replies_policy,omitempty" form:"replies_policy"`
	Exclusive     *Bool   `json:"exclusive,omitempty" form:"exclusive"`
}

// ListAccounts is the form of POST and DELETE /api/v1/lists/:id/accounts.
type ListAccounts struct {
	AccountIDs []string `json:"account_ids" form:"account_ids[]" binding:"required"`
}

// ListTimelineQuery selects a page of the timeline of a list.
type ListTimelineQuery struct {
	PageQuery
	OnlyMedia           bool     `json:"only_media,omitempty" form:"only_media"`
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
}

// TagTimelineQuery selects a page of the timeline of a hashtag: statuses with
// it or any of Any, all of All, and none of None, each without #.
type TagTimelineQuery struct {
	PageQuery
	Any                 []string `json:"any,omitempty" form:"any[]"`
	All                 []string `json:"all,omitempty" form:"all[]"`
	None                []string `json:"none,omitempty" form:"none[]"`
	Local               bool     `json:"local,omitempty" form:"local"`
	OnlyMedia           bool     `json:"only_media,omitempty" form:"only_media"`
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
}

// DirectTimelineQuery selects a page of the direct posts.
type DirectTimelineQuery struct {
	PageQuery
	WithMuted           bool     `json:"with_muted,omitempty" form:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities,omitempty" form:"exclude_visibilities[]"`
}

// DomainBlock is the form of POST and DELETE /api/v1/domain_blocks.
type DomainBlock struct {
	Domain string `json:"domain" form:"domain"`
}

// ThreadMute is the form of POST /api/v1/statuses/:id/mute. ExpiresIn is in
// seconds, 0 is forever.
type ThreadMute struct {
	ExpiresIn Int `json:"expires_in,omitempty" form:"expires_in"`
}

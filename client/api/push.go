package api

// PushSubscription is the device that notifications are pushed to, of the token
// that asks. Its id is the one that is an integer in JSON. ServerKey is the public key to subscribe with at a push service.
// Messages are encrypted by RFC 8291, which Standard says.
type PushSubscription struct {
	ID        int64      `json:"id"`
	Endpoint  string     `json:"endpoint" schema:"url"`
	Alerts    PushAlerts `json:"alerts"`
	Policy    string     `json:"policy" schema:"filled"`
	ServerKey string     `json:"server_key" schema:"filled"`
	Standard  bool       `json:"standard"`
}

// PushAlerts are the types of notifications that are pushed. In a request, a nil
// FollowRequest is as Follow.
type PushAlerts struct {
	Follow        Bool  `json:"follow" form:"follow"`
	FollowRequest *Bool `json:"follow_request,omitempty" form:"follow_request" schema:"required"`
	Favourite     Bool  `json:"favourite" form:"favourite"`
	Mention       Bool  `json:"mention" form:"mention"`
	Reblog        Bool  `json:"reblog" form:"reblog"`
	Poll          Bool  `json:"poll" form:"poll"`
	Status        Bool  `json:"status" form:"status"`
	Update        Bool  `json:"update" form:"update"`
	SignUp        Bool  `json:"admin.sign_up" form:"admin.sign_up"`
	Report        Bool  `json:"admin.report" form:"admin.report"`
	Chat          Bool  `json:"svc:chat_mention" form:"svc:chat_mention"`
	Reaction      Bool  `json:"svc:emoji_reaction" form:"svc:emoji_reaction"`
}

// NewPushSubscription is the form of POST /api/v1/push/subscription.
type NewPushSubscription struct {
	Subscription PushTarget `json:"subscription" form:"subscription" binding:"required"`
	Data         PushData   `json:"data" form:"data"`
}

// PushTarget is a device, as its browser describes it.
type PushTarget struct {
	Endpoint string   `json:"endpoint" form:"endpoint" binding:"required"`
	Keys     PushKeys `json:"keys" form:"keys" binding:"required"`
}

// PushKeys are the keys of a device, in base64.
type PushKeys struct {
	P256dh string `json:"p256dh" form:"p256dh" binding:"required"`
	Auth   string `json:"auth" form:"auth" binding:"required"`
}

// PushData selects the notifications that are pushed: their types, and the
// policy for their senders: all, followed, follower or none. Nil keeps a value.
type PushData struct {
	Alerts *PushAlerts `json:"alerts,omitempty" form:"alerts"`
	Policy *string     `json:"policy,omitempty" form:"policy"`
}

// ChangedPushSubscription is the form of PUT /api/v1/push/subscription.
type ChangedPushSubscription struct {
	Data PushData `json:"data" form:"data"`
}

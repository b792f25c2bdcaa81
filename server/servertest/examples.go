package servertest

import (
	"regexp"
	"strings"

	"svc/client/api"
)

// Example is what a route takes.
type Example struct {
	// Body would do; "" where none is read.
	Body string
	// Params is of the type that names the parameters, nil where there are none.
	Params any
	// Strict routes refuse parameters of wrong types; for the others they count as
	// absent.
	Strict bool
}

// ContentType is that of the body.
func (e Example) ContentType() string {
	switch {
	case e.Body == "":
		return ""
	case strings.HasPrefix(e.Body, "--x"):
		return "multipart/form-data; boundary=x"
	}
	return "application/json"
}

var placeholders = regexp.MustCompile(`\$\w+`)

// Nothing is a name that nothing has.
const Nothing = "9nosuchthing"

// OfNothing is the body for what is not there.
func (e Example) OfNothing() string { return placeholders.ReplaceAllString(e.Body, Nothing) }

// Examples are those of every route but GETs, by method and path. $bob, $post,
// $report and the like stand for ids.
var Examples = map[string]Example{
	"POST /api/v1/apps":                             {`{"client_name":"x","redirect_uris":"https://x.example/"}`, api.NewApp{}, true},
	"POST /oauth/token":                             {`{"grant_type":"password"}`, api.TokenRequest{}, true},
	"POST /oauth/revoke":                            {`{"token":"x"}`, api.RevokeRequest{}, true},
	"DELETE /api/oauth_tokens/:id":                  {},
	"POST /oauth/mfa/challenge":                     {`{"mfa_token":"x","challenge_type":"totp","code":"1"}`, api.MFAChallenge{}, true},
	"POST /api/svc/change_password":                 {`{"password":"x"}`, api.PasswordChange{}, false},
	"POST /api/svc/change_email":                    {`{"password":"x"}`, api.EmailChange{}, false},
	"POST /api/svc/delete_account":                  {`{"password":"x"}`, api.WithPassword{}, false},
	"POST /api/svc/disable_account":                 {`{"password":"x"}`, api.WithPassword{}, false},
	"POST /api/svc/accounts/mfa/confirm/:method":    {`{"password":"x","code":"1"}`, api.ConfirmTOTP{}, true},
	"DELETE /api/svc/accounts/mfa":                  {`{"password":"x"}`, api.WithPassword{}, true},
	"DELETE /api/svc/accounts/mfa/:method":          {`{"password":"x"}`, api.WithPassword{}, true},
	"POST /api/v1/svc/backups":                      {},
	"POST /api/v1/accounts":                         {`{"username":"fresh","password":"long enough","agreement":true,"email":"fresh@example.org"}`, api.NewAccount{}, true},
	"POST /api/v1/svc/accounts/confirmation_resend": {`{"nickname":"nobody"}`, api.WhoIs{}, true},
	"POST /auth/password":                           {`{"nickname":"nobody"}`, api.WhoIs{}, true},
	"PATCH /api/v1/accounts/update_credentials":     {`{}`, api.UpdateCredentials{}, true},
	"POST /api/v1/accounts/:id/follow":              {`{}`, api.Follow{}, true},
	"POST /api/v1/accounts/:id/unfollow":            {},
	"POST /api/v1/accounts/:id/block":               {},
	"POST /api/v1/accounts/:id/unblock":             {},
	"POST /api/v1/accounts/:id/mute":                {`{}`, api.Mute{}, true},
	"POST /api/v1/accounts/:id/unmute":              {},
	"POST /api/v1/follows": {`{"uri":"bob"}`, struct {
		URI string `json:"uri"`
	}{}, true},
	"POST /api/v1/follow_requests/:id/authorize": {},
	"POST /api/v1/follow_requests/:id/reject":    {},
	"POST /api/v1/domain_blocks":                 {`{"domain":"far.example"}`, api.DomainBlock{}, true},
	"DELETE /api/v1/domain_blocks":               {`{"domain":"far.example"}`, api.DomainBlock{}, true},
	"POST /api/v1/lists":                         {`{"title":"x"}`, api.NewList{}, true},
	"PUT /api/v1/lists/:id":                      {`{"title":"x"}`, api.NewList{}, true},
	"DELETE /api/v1/lists/:id":                   {},
	"POST /api/v1/lists/:id/accounts":            {`{"account_ids":["$bob"]}`, api.ListAccounts{}, true},
	"DELETE /api/v1/lists/:id/accounts":          {`{"account_ids":["$bob"]}`, api.ListAccounts{}, true},
	"POST /api/v1/filters":                       {`{"phrase":"x","context":["home"]}`, api.NewFilter{}, true},
	"PUT /api/v1/filters/:id":                    {`{"phrase":"x","context":["home"]}`, api.NewFilter{}, true},
	"DELETE /api/v1/filters/:id":                 {},
	"POST /api/v1/statuses/:id/mute":             {`{}`, api.ThreadMute{}, true},
	"POST /api/v1/statuses/:id/unmute":           {},
	"POST /api/v1/notifications/clear":           {},
	"POST /api/v1/notifications/dismiss": {`{"id":"1"}`, struct {
		ID string `json:"id"`
	}{}, true},
	"POST /api/v1/notifications/:id/dismiss": {},
	"DELETE /api/v1/notifications/destroy_multiple": {`{"ids":["1"]}`, struct {
		IDs []string `json:"ids"`
	}{}, true},
	"POST /api/v1/svc/notifications/read":                    {`{"id":1}`, api.ReadNotifications{}, true},
	"PUT /api/svc/notification_settings":                     {`{}`, api.SetNotificationSettings{}, true},
	"POST /api/v1/markers":                                   {`{}`, api.SetMarkers{}, false},
	"POST /api/v1/svc/chats/by-account-id/:id":               {},
	"POST /api/v1/svc/chats/:id/messages":                    {`{"content":"x"}`, api.NewChatMessage{}, true},
	"DELETE /api/v1/svc/chats/:id/messages/:message_id":      {},
	"POST /api/v1/svc/chats/:id/read":                        {`{"last_read_id":"x"}`, api.ReadChat{}, true},
	"POST /api/v1/svc/chats/:id/messages/:message_id/read":   {},
	"PUT /api/web/settings":                                  {`{"data":{}}`, api.WebSettings{}, true},
	"POST /api/v1/svc/accounts/:id/subscribe":                {},
	"POST /api/v1/svc/accounts/:id/unsubscribe":              {},
	"POST /api/svc/follow_import":                            {`{"list":"bob"}`, api.NewImport{}, true},
	"POST /api/svc/blocks_import":                            {`{"list":"nobody"}`, api.NewImport{}, true},
	"POST /api/svc/mutes_import":                             {`{"list":"nobody"}`, api.NewImport{}, true},
	"POST /api/v1/svc/scrobble":                              {`{"title":"x"}`, api.NewScrobble{}, true},
	"POST /api/v1/statuses":                                  {`{"status":"x"}`, api.NewStatus{}, true},
	"PUT /api/v1/scheduled_statuses/:id":                     {`{"scheduled_at":"2060-01-02T03:04:05Z"}`, api.Reschedule{}, true},
	"DELETE /api/v1/scheduled_statuses/:id":                  {},
	"POST /api/v1/conversations/:id/read":                    {},
	"DELETE /api/v1/conversations/:id":                       {},
	"POST /api/v1/svc/conversations/read":                    {},
	"PATCH /api/v1/svc/conversations/:id":                    {`{"recipients":["$bob"]}`, api.ConversationUpdate{}, true},
	"DELETE /api/v1/statuses/:id":                            {},
	"POST /api/v1/statuses/:id/reblog":                       {`{}`, api.NewReblog{}, true},
	"POST /api/v1/statuses/:id/unreblog":                     {},
	"POST /api/v1/statuses/:id/favourite":                    {},
	"POST /api/v1/statuses/:id/unfavourite":                  {},
	"POST /api/v1/statuses/:id/bookmark":                     {},
	"POST /api/v1/statuses/:id/unbookmark":                   {},
	"POST /api/v1/statuses/:id/pin":                          {},
	"POST /api/v1/statuses/:id/unpin":                        {},
	"PUT /api/v1/svc/statuses/:id/reactions/:emoji":          {},
	"DELETE /api/v1/svc/statuses/:id/reactions/:emoji":       {},
	"POST /api/v1/polls/:id/votes":                           {`{"choices":[0]}`, api.Votes{}, true},
	"POST /api/v1/media":                                     {`{"description":"x"}`, api.MediaForm{}, true},
	"POST /api/v2/media":                                     {`{"description":"x"}`, api.MediaForm{}, true},
	"PUT /api/v1/media/:id":                                  {`{"description":"x"}`, api.MediaForm{}, true},
	"PUT /api/v1/svc/mascot":                                 {},
	"POST /api/v1/reports":                                   {`{"account_id":"$bob"}`, api.NewReport{}, true},
	"PATCH /api/svc/admin/users/:nickname/toggle_activation": {},
	"POST /api/svc/admin/users":                              {`{"users":[{"nickname":"","email":"x@example.org","password":"x"}]}`, api.NewUsers{}, false},
	"DELETE /api/svc/admin/users":                            {`{"nicknames":["nobody"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/approve":                     {`{"nicknames":["bob"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/confirm_email":               {`{"nicknames":["bob"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/resend_confirmation_email":   {`{"nicknames":["bob"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/force_password_reset":        {`{"nicknames":["nobody"]}`, api.Nicknames{}, true},
	"PUT /api/svc/admin/users/disable_mfa":                   {`{"nickname":"bob"}`, api.Nickname{}, false},
	"POST /api/svc/admin/users/follow":                       {`{"follower":"bob","followed":"bob"}`, api.FollowPair{}, false},
	"POST /api/svc/admin/users/unfollow":                     {`{"follower":"bob","followed":"bob"}`, api.FollowPair{}, false},
	"POST /api/svc/admin/backups":                            {`{"nickname":"bob"}`, api.Nickname{}, false},
	"PATCH /api/svc/admin/users/activate":                    {`{"nicknames":["bob"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/deactivate":                  {`{"nicknames":["nobody"]}`, api.Nicknames{}, true},
	"PUT /api/svc/admin/statuses/:id":                        {`{}`, api.StatusUpdate{}, true},
	"DELETE /api/svc/admin/statuses/:id":                     {},
	"PATCH /api/svc/admin/reports": {`{"reports":[{"id":"$report","state":"open"}]}`, struct {
		Reports []api.ReportUpdate `json:"reports"`
	}{}, true},
	"POST /api/svc/admin/reports/:id/notes":                                    {`{"content":"x"}`, api.NewReportNote{}, true},
	"DELETE /api/svc/admin/reports/:id/notes/:note_id":                         {},
	"DELETE /api/svc/admin/chats/:id/messages/:message_id":                     {},
	"PUT /api/svc/admin/users/tag":                                             {`{"nicknames":["bob"],"tags":["x"]}`, api.UserTags{}, false},
	"DELETE /api/svc/admin/users/tag":                                          {`{"nicknames":["bob"],"tags":["x"]}`, api.UserTags{}, false},
	"POST /api/svc/admin/users/:nickname/permission_group/:permission_group":   {},
	"DELETE /api/svc/admin/users/:nickname/permission_group/:permission_group": {},
	"POST /api/svc/admin/users/permission_group/:permission_group":             {`{"nicknames":["nobody"]}`, api.Nicknames{}, true},
	"DELETE /api/svc/admin/users/permission_group/:permission_group":           {`{"nicknames":["nobody"]}`, api.Nicknames{}, true},
	"PATCH /api/svc/admin/users/:nickname/credentials":                         {`{}`, api.CredentialsUpdate{}, false},
	"POST /api/svc/admin/users/invite_token":                                   {`{}`, api.NewInvite{}, true},
	"POST /api/svc/admin/users/revoke_invite":                                  {`{"token":"x"}`, api.InviteToken{}, true},
	"POST /api/svc/admin/users/email_invite":                                   {`{"email":"x@example.org"}`, api.InviteMail{}, true},
	"POST /api/svc/admin/media_proxy_caches/delete":                            {`{"urls":["https://far.example/x.png"]}`, api.MediaURLs{}, true},
	"POST /api/svc/admin/media_proxy_caches/purge":                             {`{"urls":["https://far.example/x.png"]}`, api.MediaPurge{}, true},
	"PATCH /api/svc/admin/instance_document/:document_name":                    {Body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nx\r\n--x--\r\n"},
	"DELETE /api/svc/admin/instance_document/:document_name":                   {},
	"POST /api/svc/admin/federation/hosts/:host/retry":                         {},
	"DELETE /api/svc/admin/federation/hosts/:host":                             {},
	"POST /api/svc/admin/jobs/:id/retry":                                       {},
	"POST /api/svc/admin/jobs/retry":                                           {`{"queue":"mailer"}`, api.QueueName{}, true},
	"POST /api/svc/admin/reload_emoji":                                         {},
	"POST /api/svc/admin/config":                                               {`{"configs":[]}`, api.ConfigChanges{}, true},
	"POST /api/svc/admin/oauth_app":                                            {`{"name":"x","redirect_uris":"https://x.example/","scopes":["read"]}`, api.AppForm{}, true},
	"PATCH /api/svc/admin/oauth_app/:id":                                       {`{"website":""}`, api.AppForm{}, true},
	"DELETE /api/svc/admin/oauth_app/:id":                                      {},
	"POST /api/svc/admin/relay":                                                {`{"relay_url":"nowhere"}`, api.RelayForm{}, false},
	"DELETE /api/svc/admin/relay":                                              {`{"relay_url":"nowhere"}`, api.RelayForm{}, false},
}

// Queries are the parameters of routes that read a query, as values of the types
// that name them.
var Queries = map[string]any{
	"GET /api/v1/accounts/relationships": struct {
		ID []string `json:"id"`
	}{},
	"GET /api/v1/accounts/search":            api.AccountSearchQuery{},
	"GET /api/v1/accounts/:id/followers":     api.AccountQuery{},
	"GET /api/v1/accounts/:id/following":     api.AccountQuery{},
	"GET /api/v1/accounts/:id/statuses":      api.AccountStatusQuery{},
	"GET /api/svc/emoji/packs":               api.EmojiPageQuery{},
	"GET /api/svc/emoji/pack":                api.EmojiPageQuery{},
	"GET /api/svc/emoji/packs/archive":       api.EmojiPageQuery{},
	"GET /api/v1/blocks":                     api.PageQuery{},
	"GET /api/v1/mutes":                      api.PageQuery{},
	"GET /api/v1/follow_requests":            api.PageQuery{},
	"GET /api/v1/notifications":              api.NotificationQuery{},
	"GET /api/v1/markers":                    api.MarkerQuery{},
	"GET /api/v1/svc/chats":                  api.ChatQuery{},
	"GET /api/v1/svc/chats/:id/messages":     api.PageQuery{},
	"GET /api/v1/svc/accounts/:id/scrobbles": api.PageQuery{},
	"GET /api/oembed":                        api.OEmbedQuery{},
	"GET /.well-known/webfinger": struct {
		Resource string `json:"resource"`
	}{},
	"GET /api/v1/timelines/home":                        api.TimelineQuery{},
	"GET /api/v1/timelines/public":                      api.TimelineQuery{},
	"GET /api/v1/timelines/tag/:tag":                    api.TagTimelineQuery{},
	"GET /api/v1/timelines/list/:id":                    api.ListTimelineQuery{},
	"GET /api/v1/timelines/direct":                      api.DirectTimelineQuery{},
	"GET /api/v1/domain_blocks":                         api.PageQuery{},
	"GET /api/v1/lists/:id/accounts":                    api.PageQuery{},
	"GET /api/v1/scheduled_statuses":                    api.PageQuery{},
	"GET /api/v1/conversations":                         api.ConversationQuery{},
	"GET /api/v1/svc/conversations/:id/statuses":        api.PageQuery{},
	"GET /api/v1/statuses":                              api.StatusesQuery{},
	"GET /api/v1/statuses/:id/reblogged_by":             api.PageQuery{},
	"GET /api/v1/statuses/:id/favourited_by":            api.PageQuery{},
	"GET /api/v1/bookmarks":                             api.PageQuery{},
	"GET /api/v1/favourites":                            api.PageQuery{},
	"GET /api/v1/svc/accounts/:id/favourites":           api.PageQuery{},
	"GET /api/v1/svc/statuses/:id/reactions":            api.ReactionQuery{},
	"GET /api/v1/svc/statuses/:id/reactions/:emoji":     api.ReactionQuery{},
	"GET /api/svc/admin/users":                          api.UserQuery{},
	"GET /api/svc/admin/users/:nickname_or_id/statuses": api.StatusQuery{},
	"GET /api/svc/admin/instances/:instance/statuses":   api.StatusQuery{},
	"GET /api/svc/admin/statuses":                       api.StatusQuery{},
	"GET /api/svc/admin/reports":                        api.ReportQuery{},
	"GET /api/svc/admin/grouped_reports":                api.ReportQuery{},
	"GET /api/svc/admin/moderation_log":                 api.LogQuery{},
	"GET /api/svc/admin/chats/:id/messages":             api.PageQuery{},
	"GET /api/svc/admin/config":                         api.ConfigQuery{},
	"GET /api/svc/admin/oauth_app":                      api.AppQuery{},
	"GET /api/svc/admin/media_proxy_caches":             api.MediaBanQuery{},
	"GET /api/svc/admin/stats":                          api.StatsQuery{},
	"GET /api/svc/admin/federation/hosts":               api.HostQuery{},
	"GET /api/svc/admin/jobs":                           api.JobQuery{},
	"GET /oauth/authorize": struct {
		ClientID     string   `json:"client_id"`
		RedirectURI  string   `json:"redirect_uri"`
		ResponseType string   `json:"response_type"`
		Scope        string   `json:"scope"`
		State        string   `json:"state"`
		Challenge    string   `json:"code_challenge"`
		ForceLogin   api.Bool `json:"force_login"`
	}{},
}

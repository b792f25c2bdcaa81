package servertest

import (
	"regexp"
	"strings"
)

// Example is an example request of a route, and its effects.
type Example struct {
	// Body is a valid body; "" for none.
	Body string
	// Strict routes refuse parameters of wrong types; for the others they count as
	// absent.
	Strict bool
	// Command is a line of svcctl that calls an admin route. $R1, $APP and the
	// like stand for existing objects, $MADE for the latest created one.
	Command string
	// Again is the effect of a repeated POST: Same, or a statement that counts
	// the rows, of which the POST adds one.
	Again string
	// Log is the action and message of the write's entry in the moderation log:
	// "relay_follow: followed relay: https://relay.example/inbox".
	Log string
	// Added admin routes are not in the tables that specify the admin API.
	Added bool
}

// Same marks a request that changes nothing when it is repeated.
const Same = "the same"

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

// Nothing is an id of no object.
const Nothing = "9nosuchthing"

// OfNothing is the body with ids of objects that do not exist.
func (e Example) OfNothing() string { return placeholders.ReplaceAllString(e.Body, Nothing) }

// Dot is a picture of one pixel.
const Dot = "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\xda\x63\x64\xf8\xcf\x50\x0f\x00\x03\x86\x01\x80\x5a\x34\x7d\x6b\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"

// Examples are the examples of all routes, by method and path, except GETs
// without parameters. $bob, $post, $report and the like in bodies stand for
// ids. Tests of all routes read this table; their own tables have only special
// cases.
var Examples = map[string]Example{
	"POST /api/v1/apps":                               {Body: `{"client_name":"x","redirect_uris":"https://x.example/"}`, Strict: true},
	"POST /oauth/token":                               {Body: `{"grant_type":"password"}`, Strict: true},
	"POST /oauth/userinfo":                            {Again: Same},
	"POST /oauth/revoke":                              {Body: `{"token":"x"}`, Strict: true},
	"DELETE /api/oauth_tokens/:id":                    {},
	"POST /oauth/mfa/challenge":                       {Body: `{"mfa_token":"x","challenge_type":"totp","code":"1"}`, Strict: true},
	"POST /api/svc/change_password":                   {Body: `{"password":"x"}`, Again: Same},
	"POST /api/svc/change_email":                      {Body: `{"password":"x"}`, Again: Same},
	"PUT /api/svc/aliases":                            {Body: `{"alias":"nobody"}`},
	"DELETE /api/svc/aliases":                         {Body: `{"alias":"nobody"}`},
	"POST /api/svc/move_account":                      {Body: `{"password":"x","target_account":"nobody"}`, Again: Same},
	"DELETE /api/svc/move_account":                    {Body: `{"password":"x"}`},
	"POST /api/svc/delete_account":                    {Body: `{"password":"x"}`, Again: Same},
	"POST /api/svc/disable_account":                   {Body: `{"password":"x"}`, Again: Same},
	"POST /api/svc/accounts/mfa/confirm/:method":      {Body: `{"password":"x","code":"1"}`, Strict: true, Again: Same},
	"DELETE /api/svc/accounts/mfa":                    {Body: `{"password":"x"}`, Strict: true},
	"DELETE /api/svc/accounts/mfa/:method":            {Body: `{"password":"x"}`, Strict: true},
	"POST /api/v1/svc/backups":                        {},
	"POST /api/svc/ssh_keys":                          {Body: `{"key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA0tTe8AgPZwqmTpLuxew5Setdx24kSDhpVXPTY9cP4J kim@laptop"}`, Strict: true, Again: Same},
	"DELETE /api/svc/ssh_keys/:id":                    {},
	"POST /api/v1/accounts":                           {Body: `{"username":"fresh","password":"long enough","agreement":true,"email":"fresh@example.org"}`, Strict: true},
	"POST /api/v1/svc/accounts/confirmation_resend":   {Body: `{"nickname":"nobody"}`, Strict: true},
	"POST /auth/password":                             {Body: `{"nickname":"nobody"}`, Strict: true},
	"PATCH /api/v1/accounts/update_credentials":       {Body: `{}`, Strict: true},
	"POST /api/v1/accounts/:id/follow":                {Body: `{}`, Strict: true, Again: Same},
	"POST /api/v1/accounts/:id/unfollow":              {Again: Same},
	"POST /api/v1/accounts/:id/block":                 {Again: Same},
	"POST /api/v1/accounts/:id/unblock":               {Again: Same},
	"POST /api/v1/accounts/:id/mute":                  {Body: `{}`, Strict: true, Again: Same},
	"POST /api/v1/accounts/:id/unmute":                {Again: Same},
	"POST /api/v1/accounts/:id/note":                  {Body: `{"comment":"met in May"}`, Strict: true, Again: Same},
	"POST /api/v1/accounts/:id/remove_from_followers": {Again: Same},
	"POST /api/v1/follows":                            {Body: `{"uri":"bob"}`, Strict: true, Again: Same},
	"POST /api/v1/follow_requests/:id/authorize":      {Again: Same},
	"POST /api/v1/follow_requests/:id/reject":         {Again: Same},
	"POST /api/v1/domain_blocks":                      {Body: `{"domain":"far.example"}`, Strict: true, Again: Same},
	"DELETE /api/v1/domain_blocks":                    {Body: `{"domain":"far.example"}`, Strict: true},
	"POST /api/v1/push/subscription":                  {Body: `{"subscription":{"endpoint":"https://push.example/1","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}},"data":{"alerts":{"mention":true}}}`, Strict: true, Again: Same},
	"PUT /api/v1/push/subscription":                   {Body: `{"data":{"alerts":{"mention":true}}}`, Strict: true},
	"DELETE /api/v1/push/subscription":                {},
	"POST /api/v1/lists":                              {Body: `{"title":"x"}`, Strict: true, Again: "SELECT COUNT(*) FROM lists"},
	"PUT /api/v1/lists/:id":                           {Body: `{"title":"x"}`, Strict: true},
	"DELETE /api/v1/lists/:id":                        {},
	"POST /api/v1/lists/:id/accounts":                 {Body: `{"account_ids":["$bob"]}`, Strict: true, Again: Same},
	"DELETE /api/v1/lists/:id/accounts":               {Body: `{"account_ids":["$bob"]}`, Strict: true},
	"POST /api/v1/filters":                            {Body: `{"phrase":"x","context":["home"]}`, Strict: true, Again: "SELECT COUNT(*) FROM filters"},
	"PUT /api/v1/filters/:id":                         {Body: `{"phrase":"x","context":["home"]}`, Strict: true},
	"DELETE /api/v1/filters/:id":                      {},
	"POST /api/v1/tags/:name/follow":                  {Again: Same},
	"POST /api/v1/tags/:name/unfollow":                {Again: Same},
	"POST /api/v2/filters":                            {Body: `{"title":"x","context":["home"],"keywords_attributes":[{"keyword":"y"}]}`, Strict: true, Again: "SELECT COUNT(*) FROM filters"},
	"PUT /api/v2/filters/:id":                         {Body: `{"title":"x","context":["home"]}`, Strict: true},
	"DELETE /api/v2/filters/:id":                      {},
	"POST /api/v2/filters/:id/keywords":               {Body: `{"keyword":"x"}`, Strict: true},
	"PUT /api/v2/filters/keywords/:id":                {Body: `{"keyword":"x"}`, Strict: true},
	"DELETE /api/v2/filters/keywords/:id":             {},
	"POST /api/v2/filters/:id/statuses":               {Body: `{"status_id":"$post"}`, Strict: true, Again: Same},
	"DELETE /api/v2/filters/statuses/:id":             {},

	"POST /api/v1/announcements/:id/dismiss":           {Again: Same},
	"PUT /api/v1/announcements/:id/reactions/:name":    {},
	"DELETE /api/v1/announcements/:id/reactions/:name": {},

	"POST /api/v1/statuses/:id/mute":                                           {Body: `{}`, Strict: true, Again: Same},
	"POST /api/v1/statuses/:id/unmute":                                         {Again: Same},
	"POST /api/v1/notifications/clear":                                         {Again: Same},
	"POST /api/v1/notifications/dismiss":                                       {Body: `{"id":"1"}`, Strict: true, Again: Same},
	"POST /api/v1/notifications/:id/dismiss":                                   {Again: Same},
	"DELETE /api/v1/notifications/destroy_multiple":                            {Body: `{"ids":["1"]}`, Strict: true},
	"POST /api/v1/svc/notifications/read":                                      {Body: `{"id":1}`, Strict: true, Again: Same},
	"PUT /api/svc/notification_settings":                                       {Body: `{}`, Strict: true},
	"POST /api/v1/markers":                                                     {Body: `{}`, Again: Same},
	"POST /api/v1/svc/chats/by-account-id/:id":                                 {Again: Same},
	"POST /api/v1/svc/chats/:id/messages":                                      {Body: `{"content":"x"}`, Strict: true},
	"DELETE /api/v1/svc/chats/:id/messages/:message_id":                        {},
	"POST /api/v1/svc/chats/:id/read":                                          {Body: `{"last_read_id":"x"}`, Strict: true, Again: Same},
	"POST /api/v1/svc/chats/:id/messages/:message_id/read":                     {Again: Same},
	"PUT /api/web/settings":                                                    {Body: `{"data":{}}`, Strict: true},
	"POST /api/v1/svc/accounts/:id/subscribe":                                  {Again: Same},
	"POST /api/v1/svc/accounts/:id/unsubscribe":                                {Again: Same},
	"POST /api/svc/follow_import":                                              {Body: `{"list":"bob"}`, Strict: true, Again: Same},
	"POST /api/svc/blocks_import":                                              {Body: `{"list":"nobody"}`, Strict: true, Again: Same},
	"POST /api/svc/mutes_import":                                               {Body: `{"list":"nobody"}`, Strict: true, Again: Same},
	"POST /api/v1/svc/scrobble":                                                {Body: `{"title":"x"}`, Strict: true, Again: "SELECT COUNT(*) FROM scrobbles"},
	"POST /api/v1/statuses":                                                    {Body: `{"status":"x"}`, Strict: true},
	"PUT /api/v1/scheduled_statuses/:id":                                       {Body: `{"scheduled_at":"2060-01-02T03:04:05Z"}`, Strict: true},
	"DELETE /api/v1/scheduled_statuses/:id":                                    {},
	"POST /api/v1/conversations/:id/read":                                      {Again: Same},
	"DELETE /api/v1/conversations/:id":                                         {},
	"POST /api/v1/svc/conversations/read":                                      {Again: Same},
	"PATCH /api/v1/svc/conversations/:id":                                      {Body: `{"recipients":["$bob"]}`, Strict: true},
	"DELETE /api/v1/media/:id":                                                 {},
	"PUT /api/v1/statuses/:id":                                                 {Body: `{"status":"y"}`, Strict: true},
	"DELETE /api/v1/statuses/:id":                                              {},
	"POST /api/v1/statuses/:id/reblog":                                         {Body: `{}`, Strict: true, Again: Same},
	"POST /api/v1/statuses/:id/unreblog":                                       {Again: Same},
	"POST /api/v1/statuses/:id/favourite":                                      {Again: Same},
	"POST /api/v1/statuses/:id/unfavourite":                                    {Again: Same},
	"POST /api/v1/statuses/:id/bookmark":                                       {Again: Same},
	"POST /api/v1/statuses/:id/unbookmark":                                     {Again: Same},
	"POST /api/v1/statuses/:id/pin":                                            {Again: Same},
	"POST /api/v1/statuses/:id/unpin":                                          {Again: Same},
	"PUT /api/v1/svc/statuses/:id/reactions/:emoji":                            {},
	"DELETE /api/v1/svc/statuses/:id/reactions/:emoji":                         {},
	"POST /api/v1/polls/:id/votes":                                             {Body: `{"choices":[0]}`, Strict: true, Again: Same},
	"POST /api/v1/media":                                                       {Body: `{"description":"x"}`, Strict: true},
	"POST /api/v2/media":                                                       {Body: `{"description":"x"}`, Strict: true},
	"PUT /api/v1/media/:id":                                                    {Body: `{"description":"x"}`, Strict: true},
	"PUT /api/v1/svc/mascot":                                                   {},
	"POST /api/v1/reports":                                                     {Body: `{"account_id":"$bob"}`, Strict: true},
	"PATCH /api/svc/admin/users/:nickname/toggle_activation":                   {Command: "user toggle spam1 --yes"},
	"POST /api/svc/admin/users":                                                {Body: `{"users":[{"nickname":"","email":"x@example.org","password":"x"}]}`, Command: "user create fred --email fred@example.org --generate"},
	"DELETE /api/svc/admin/users":                                              {Body: `{"nicknames":["nobody"]}`, Strict: true, Command: "user delete zoe --yes --max 1"},
	"PATCH /api/svc/admin/users/approve":                                       {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user approve waiting --yes"},
	"PATCH /api/svc/admin/users/reject":                                        {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user reject rejected --message No --yes", Added: true},
	"POST /api/svc/admin/mail_domains":                                         {Body: `{"domains":["spam.example"]}`, Strict: true, Command: "mail-domain block spam.example", Again: Same, Added: true, Log: "mail_domain_block: blocked mail domains: spam.example"},
	"DELETE /api/svc/admin/mail_domains":                                       {Body: `{"domains":["spam.example"]}`, Strict: true, Command: "mail-domain unblock junk.example", Added: true, Log: "mail_domain_unblock: unblocked mail domains: spam.example"},
	"PATCH /api/svc/admin/users/confirm_email":                                 {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user confirm unconfirmed --yes"},
	"PATCH /api/svc/admin/users/resend_confirmation_email":                     {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user resend-confirmation ana --yes"},
	"PATCH /api/svc/admin/users/force_password_reset":                          {Body: `{"nicknames":["nobody"]}`, Strict: true, Command: "user force-reset ana --yes"},
	"PATCH /api/svc/admin/users/logout":                                        {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user logout ana --yes", Added: true, Log: "logout: ended all log-ins of users: @bob"},
	"PUT /api/svc/admin/users/disable_mfa":                                     {Body: `{"nickname":"bob"}`, Command: "user mfa disable ana --yes"},
	"POST /api/svc/admin/users/follow":                                         {Body: `{"follower":"bob","followed":"bob"}`, Command: "user follow ana zoe", Again: Same},
	"POST /api/svc/admin/users/unfollow":                                       {Body: `{"follower":"bob","followed":"bob"}`, Command: "user unfollow juno ana", Again: Same},
	"POST /api/svc/admin/backups":                                              {Body: `{"nickname":"bob"}`, Command: "user backup ana", Added: true},
	"PATCH /api/svc/admin/users/activate":                                      {Body: `{"nicknames":["bob"]}`, Strict: true, Command: "user activate spam1"},
	"PATCH /api/svc/admin/users/deactivate":                                    {Body: `{"nicknames":["nobody"]}`, Strict: true, Command: "user deactivate tom --yes"},
	"PUT /api/svc/admin/statuses/:id":                                          {Body: `{}`, Strict: true, Command: "status set $S1 --sensitive"},
	"DELETE /api/svc/admin/statuses/:id":                                       {Command: "status delete $S2 --yes"},
	"POST /api/svc/admin/reports":                                              {Body: `{"account":"nobody"}`, Strict: true, Command: "report create spam1 --by ana --text rude", Added: true},
	"PATCH /api/svc/admin/reports":                                             {Body: `{"reports":[{"id":"$report","state":"open"}]}`, Strict: true, Command: "report resolve $R1"},
	"POST /api/svc/admin/reports/:id/notes":                                    {Body: `{"content":"x"}`, Strict: true, Command: "report note add $R1 text"},
	"DELETE /api/svc/admin/reports/:id/notes/:note_id":                         {Command: "report note delete $R1 $NOTE --yes"},
	"DELETE /api/svc/admin/chats/:id/messages/:message_id":                     {Command: "chat delete-message $CHAT $MESSAGE --yes"},
	"PUT /api/svc/admin/users/tag":                                             {Body: `{"nicknames":["bob"],"tags":["x"]}`, Command: "user tag add ana --tag x"},
	"DELETE /api/svc/admin/users/tag":                                          {Body: `{"nicknames":["bob"],"tags":["x"]}`, Command: "user tag remove juno --tag y"},
	"POST /api/svc/admin/users/:nickname/permission_group/:permission_group":   {Command: "role add moderator ana --legacy", Again: Same},
	"DELETE /api/svc/admin/users/:nickname/permission_group/:permission_group": {Command: "role remove moderator tom --legacy"},
	"POST /api/svc/admin/users/permission_group/:permission_group":             {Body: `{"nicknames":["nobody"]}`, Strict: true, Command: "role add admin ana --yes --max 1", Again: Same},
	"DELETE /api/svc/admin/users/permission_group/:permission_group":           {Body: `{"nicknames":["nobody"]}`, Strict: true, Command: "role remove admin tess"},
	"PATCH /api/svc/admin/users/:nickname/credentials":                         {Body: `{}`, Command: "user credentials set ana name=Ana"},
	"POST /api/svc/admin/users/invite_token":                                   {Body: `{}`, Strict: true, Command: "invite create"},
	"POST /api/svc/admin/users/:nickname/ssh_keys":                             {Body: `{"key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAGW/RBUKa8UZHOZ/wAKYGKlpYFagULoqozc3d01rQH0 kim@laptop"}`, Strict: true, Command: "ssh-key add $SSHKEY --user ana --yes", Again: Same, Added: true},
	"DELETE /api/svc/admin/users/:nickname/ssh_keys/:id":                       {Command: "ssh-key delete $SSHKEYID --user zoe --yes", Added: true},
	"POST /api/svc/admin/announcements":                                        {Body: `{"content":"New rooms"}`, Strict: true, Command: "announcement add Welcome", Again: "SELECT COUNT(*) FROM announcements WHERE text = 'New rooms'", Added: true},
	"PATCH /api/svc/admin/announcements/:id":                                   {Body: `{"published":false}`, Strict: true, Command: "announcement edit $ANNOUNCEMENT --draft", Added: true},
	"DELETE /api/svc/admin/announcements/:id":                                  {Command: "announcement remove $ANNOUNCEMENT --yes", Added: true},
	"POST /api/svc/admin/rules":                                                {Body: `{"text":"Be kind"}`, Strict: true, Command: "rule add Kindness", Again: "SELECT COUNT(*) FROM rules WHERE text = 'Be kind'", Added: true},
	"PATCH /api/svc/admin/rules/:id":                                           {Body: `{"priority":1}`, Strict: true, Command: "rule edit $RULE --priority 1", Added: true},
	"DELETE /api/svc/admin/rules/:id":                                          {Command: "rule remove $RULE --yes", Added: true},
	"POST /api/svc/admin/users/revoke_invite":                                  {Body: `{"token":"x"}`, Strict: true, Command: "invite revoke $INVITE --yes", Again: Same},
	"POST /api/svc/admin/users/email_invite":                                   {Body: `{"email":"x@example.org"}`, Strict: true, Command: "invite email kim@example.org --name Kim"},
	"POST /api/svc/admin/media_proxy_caches/delete":                            {Body: `{"urls":["https://far.example/x.png"]}`, Strict: true, Command: "media unban https://evil.example/a.png", Again: Same},
	"POST /api/svc/admin/media_proxy_caches/purge":                             {Body: `{"urls":["https://far.example/x.png"]}`, Strict: true, Command: "media purge --ban https://evil.example/a.png", Again: Same},
	"DELETE /api/svc/admin/media_proxy_caches/files":                           {Body: `{"host":"far.example"}`, Command: "media purge --host far.example --yes", Added: true, Log: "media_purge: purged cached media of far.example"},
	"PATCH /api/svc/admin/instance_document/:document_name":                    {Body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nx\r\n--x--\r\n", Command: "doc put instance-panel $FILE"},
	"DELETE /api/svc/admin/instance_document/:document_name":                   {Command: "doc delete instance-panel --yes"},
	"POST /api/svc/admin/federation/hosts/:host/retry":                         {Command: "federation retry far.example", Again: Same, Added: true},
	"DELETE /api/svc/admin/federation/hosts/:host":                             {Command: "federation forget far.example --yes", Added: true},
	"POST /api/svc/admin/federation/limits":                                    {Body: `{"changes":[{"host":"far.example","add":["reject"]}]}`, Strict: true, Command: "instance block far.example --media --reason spam --idle", Again: Same, Added: true},
	"POST /api/svc/admin/jobs/:id/retry":                                       {Command: "jobs retry $JOB", Again: Same, Added: true},
	"POST /api/svc/admin/jobs/retry":                                           {Body: `{"queue":"mailer"}`, Strict: true, Command: "jobs retry --queue mailer", Again: Same, Added: true},
	"PATCH /api/svc/admin/emoji":                                               {Body: `{"shortcodes":[],"enabled":true}`, Strict: true, Command: "emoji disable cat", Added: true},
	"POST /api/svc/emoji/packs/files":                                          {Body: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"dot.png\"\r\n\r\n" + Dot + "\r\n--x--\r\n", Command: "emoji add dot $PICTURE", Again: Same, Added: true},
	"PATCH /api/svc/emoji/packs/files":                                         {Body: `{"name":"custom","shortcode":"dot","new_shortcode":"dot2"}`, Command: "emoji rename owl owl2", Added: true},
	"DELETE /api/svc/emoji/packs/files":                                        {Body: `{"name":"custom","shortcode":"dot"}`, Command: "emoji remove wave --yes", Added: true},
	"POST /api/svc/emoji/pack":                                                 {Body: `{"name":"fresh"}`, Command: "emoji pack create fresh", Again: Same, Added: true},
	"PATCH /api/svc/emoji/pack":                                                {Body: `{"name":"fresh","metadata":{"license":"CC0"}}`, Command: "emoji pack edit beasts --license CC0", Added: true},
	"POST /api/svc/emoji/packs/download":                                       {Body: `{"url":"https://far.invalid","name":"x"}`, Strict: true, Command: "emoji pack import beasts --from $SITE --as copied", Again: Same, Added: true},
	"POST /api/svc/emoji/packs/download_zip":                                   {Body: `{"url":"https://far.invalid/x.zip","name":"x"}`, Strict: true, Command: "emoji pack import zipped $ZIP", Again: Same, Added: true},
	"DELETE /api/svc/emoji/pack":                                               {Body: `{"name":"fresh"}`, Command: "emoji pack remove doomed --yes --max 1", Added: true},
	"POST /api/svc/admin/reload_emoji":                                         {Command: "emoji reload", Again: Same},
	"POST /api/svc/admin/config":                                               {Body: `{"configs":[]}`, Strict: true, Command: "config set svc instance limit 3000", Again: Same},
	"POST /api/svc/admin/oauth_app":                                            {Body: `{"name":"x","redirect_uris":"https://x.example/","scopes":["read"]}`, Strict: true, Command: "app create --name A --redirect-uri https://a.example/ --scope read"},
	"PATCH /api/svc/admin/oauth_app/:id":                                       {Body: `{"website":""}`, Strict: true, Command: "app update $APP --name B"},
	"DELETE /api/svc/admin/oauth_app/:id":                                      {Command: "app delete $APP --yes"},
	"POST /api/svc/admin/relay":                                                {Body: `{"relay_url":"nowhere"}`, Command: "relay follow https://relay.example/inbox", Again: Same},
	"DELETE /api/svc/admin/relay":                                              {Body: `{"relay_url":"nowhere"}`, Command: "relay unfollow https://relay.example/inbox"},

	"GET /api/svc/admin/instances/:instance":                                      {Command: "instance get far.example", Added: true},
	"GET /api/svc/admin/federation/limits":                                        {Command: "instance limits", Added: true},
	"GET /api/svc/admin/users":                                                    {Command: "user list"},
	"GET /api/svc/admin/mail_domains":                                             {Command: "mail-domain list", Added: true},
	"GET /api/svc/admin/users/:nickname_or_id":                                    {Command: "user get spam1"},
	"GET /api/svc/admin/users/:nickname_or_id/password_reset":                     {Command: "user password-reset ana"},
	"GET /api/svc/admin/users/:nickname_or_id/statuses":                           {Command: "status list --user spam1"},
	"GET /api/svc/admin/users/:nickname_or_id/history":                            {Command: "user history spam1", Added: true},
	"GET /api/svc/admin/users/:nickname_or_id/permission_group":                   {Command: "user role get ana"},
	"GET /api/svc/admin/users/:nickname_or_id/permission_group/:permission_group": {Command: "role get ana admin"},
	"GET /api/svc/admin/users/:nickname_or_id/credentials":                        {Command: "user credentials get ana"},
	"POST /api/svc/admin/users/:nickname/move":                                    {Body: `{"target":"nobody"}`, Strict: true, Command: "user move ana juno --yes", Added: true, Again: Same},
	"DELETE /api/svc/admin/users/:nickname/move":                                  {Command: "user move ana --cancel", Added: true},
	"GET /api/svc/admin/users/:nickname_or_id/sessions":                           {Command: "user sessions ana", Added: true},
	"GET /api/svc/admin/users/:nickname_or_id/ssh_keys":                           {Command: "ssh-key list --user ana", Added: true},
	"GET /api/svc/admin/emoji":                                                    {Command: "emoji list", Added: true},
	"GET /api/svc/emoji/packs/import":                                             {Command: "emoji pack scan", Added: true},
	"GET /api/svc/emoji/packs/remote":                                             {Command: "emoji pack list --from $SITE", Added: true},
	"GET /api/svc/admin/announcements":                                            {Command: "announcement list", Added: true},
	"GET /api/svc/admin/announcements/:id":                                        {Command: "announcement get $ANNOUNCEMENT", Added: true},
	"GET /api/svc/admin/rules":                                                    {Command: "rule list", Added: true},
	"GET /api/svc/admin/users/invites":                                            {Command: "invite list"},
	"GET /api/svc/admin/instances/:instance/statuses":                             {Command: "status list --host $HOST"},
	"GET /api/svc/admin/statuses":                                                 {Command: "status list"},
	"GET /api/svc/admin/statuses/:id":                                             {Command: "status get $S1"},
	"GET /api/svc/admin/statuses/:id/context":                                     {Command: "status context $S1", Added: true},
	"GET /api/svc/admin/reports":                                                  {Command: "report list"},
	"GET /api/svc/admin/grouped_reports":                                          {Command: "report groups"},
	"GET /api/svc/admin/reports/:id":                                              {Command: "report get $R1"},
	"GET /api/svc/admin/moderation_log":                                           {Command: "log list"},
	"GET /api/svc/admin/stats":                                                    {Command: "stats"},
	"GET /api/svc/admin/config":                                                   {Command: "config get"},
	"GET /api/svc/admin/config/history":                                           {Command: "config history", Added: true},
	"GET /api/svc/admin/need_reboot":                                              {Command: "server needs-reboot"},
	"GET /api/svc/admin/restart":                                                  {Command: "server restart --yes --max 1"},
	"GET /api/svc/admin/config/descriptions":                                      {Command: "config describe"},
	"GET /api/svc/admin/users/:nickname_or_id/chats":                              {Command: "chat list ana"},
	"GET /api/svc/admin/chats/:id":                                                {Command: "chat get $CHAT"},
	"GET /api/svc/admin/chats/:id/messages":                                       {Command: "chat messages $CHAT"},
	"GET /api/svc/admin/oauth_app":                                                {Command: "app list"},
	"GET /api/svc/admin/media_proxy_caches":                                       {Command: "media list"},
	"GET /api/svc/admin/media_proxy_caches/files":                                 {Command: "media cached", Added: true},
	"GET /api/svc/admin/relay":                                                    {Command: "relay list"},
	"GET /api/svc/admin/federation/hosts":                                         {Command: "federation hosts", Added: true},
	"GET /api/svc/admin/federation/hosts/:host":                                   {Command: "federation host far.example", Added: true},
	"GET /api/svc/admin/jobs":                                                     {Command: "jobs list", Added: true},
	"GET /api/svc/admin/jobs/queues":                                              {Command: "jobs queues", Added: true},
	"GET /api/svc/admin/instance_document/:document_name":                         {Command: "doc get instance-panel"},
}

package apitest

// entities are the objects of the client API, as the strictest of today's apps decode
// them. A field is its name and its kind: s text, s! text that is not empty, i integer, n
// number, b boolean, t time, d day, u absolute address, o object, a anything, =a,b one of
// these words, [X] list, {X} object of many, X|Y either, an entity by its name. After ?
// it may be null; a field after ~ may be absent.
var entities = map[string]string{
	"Empty": "",
	"Account": `id:s! username:s! acct:s! display_name:s note:s url:u uri:s avatar:u avatar_static:u header:u header_static:u locked:b bot:b group:b
		discoverable:b noindex:b indexable:b hide_collections:b created_at:t followers_count:i following_count:i statuses_count:i last_status_at:d?
		emojis:[Emoji] fields:[Field] roles:[Role] moved:Account? source:Source svc:AccountSvc ~follow_requests_count:i ~mute_expires_at:t? ~role:OwnRole`,
	"OwnAccount": `id:s! username:s! acct:s! display_name:s note:s url:u avatar:u avatar_static:u header:u header_static:u locked:b bot:b created_at:t
		followers_count:i following_count:i statuses_count:i emojis:[Emoji] fields:[Field] roles:[Role] source:Source role:OwnRole svc:AccountSvc
		~follow_requests_count:i`,
	"AccountSvc": `ap_id:s? also_known_as:[s] background_image:u? tags:[s] relationship:Empty|Relationship ~is_admin:b ~is_moderator:b
		confirmation_pending:b hide_favorites:b hide_followers:b hide_follows:b hide_followers_count:b hide_follows_count:b skip_thread_containment:b
		accepts_chat_messages:b? favicon:s? ~deactivated:b ~settings_store:o ~chat_token:s! ~allow_following_move:b ~unread_conversation_count:i
		~unread_notifications_count:i ~notification_settings:NotificationSettings`,
	"NotificationSettings": "block_from_strangers:b hide_notification_contents:b",
	"Source": `note:s fields:[SourceField] sensitive:b privacy:=public,unlisted,private,direct,local,list language:s? follow_requests_count:i
		hide_collections:b discoverable:b indexable:b svc:SourceSvc`,
	"SourceSvc":   "show_role:b? ~no_rich_text:b discoverable:b actor_type:s!",
	"SourceField": "name:s value:s",
	"Field":       "name:s value:s verified_at:t?",
	"Role":        "id:s! name:s color:s",
	"OwnRole":     "id:s! name:s color:s permissions:s highlighted:b",
	"Emoji":       "shortcode:s! url:u static_url:u visible_in_picker:b",
	"CustomEmoji": "shortcode:s! url:u static_url:u visible_in_picker:b tags:[s] category:s",
	"Relationship": `id:s! following:b followed_by:b blocking:b blocked_by:b muting:b muting_notifications:b requested:b requested_by:b domain_blocking:b
		showing_reblogs:b endorsed:b subscribing:b notifying:b note:s languages:[s!]?`,
	"Familiar": "id:s! accounts:[Account]",
	"Status": `id:s! uri:s! url:u account:Account in_reply_to_id:s!? in_reply_to_account_id:s!? reblog:Status? content:s text:s? created_at:t edited_at:t?
		reblogs_count:i replies_count:i favourites_count:i sensitive:b spoiler_text:s visibility:=public,unlisted,private,direct,local,list
		media_attachments:[Attachment] mentions:[Mention] tags:[StatusTag] emojis:[Emoji] card:Card? poll:Poll? quote:Quote? application:Application? language:s!?
		filtered:[FilterResult] favourited:b reblogged:b muted:b bookmarked:b pinned:b svc:StatusSvc`,
	"Quote":        "state:=accepted,unauthorized,pending,deleted quoted_status:QuotedStatus?",
	"QuotedStatus": "id:s! uri:s! account:Account content:s created_at:t visibility:=public,unlisted,private,direct,local,list filtered:[FilterResult] quote:InnerQuote?",
	"InnerQuote":   "state:=accepted,unauthorized,pending,deleted quoted_status_id:s!?",
	"StatusSvc": `local:b conversation_id:i? direct_conversation_id:i? in_reply_to_account_acct:s!? content:PlainText spoiler_text:PlainText expires_at:t?
		thread_muted:b emoji_reactions:[ReactionCount] parent_visible:b`,
	"PlainText":     "text/plain:s",
	"ReactionCount": "name:s! count:i me:b",
	"Mention":       "id:s! username:s! url:u acct:s!",
	"StatusTag":     "name:s! url:u",
	"Tag":           "id:s! name:s! url:u history:[a] ~following:b",
	"FoundTag":      "name:s! url:u history:[a] ~id:s! ~following:b",
	"Application":   "name:s! website:s?",
	"Attachment": `id:s! type:=image,video,gifv,audio,unknown url:u preview_url:u remote_url:s!? text_url:s? description:s? blurhash:s!? meta:Meta?
		svc:AttachmentSvc`,
	"AttachmentSvc": "mime_type:s",
	"Meta":          "~original:Size ~small:Size ~focus:Focus",
	"Size":          "width:i height:i size:s! aspect:n",
	"Focus":         "x:n y:n",
	"Card": `type:=link url:u title:s description:s image:s!? provider_name:s provider_url:s author_name:s author_url:s html:s width:i height:i
		embed_url:s`,
	"Poll":            "id:s! expires_at:t? expired:b multiple:b votes_count:i voters_count:i? options:[PollOption] voted:b own_votes:[i] emojis:[Emoji]",
	"PollOption":      "title:s votes_count:i?",
	"EditedPoll":      "id:s! expires_at:t? expired:b multiple:b votes_count:i voters_count:i? options:[PollOption] own_votes:[i] emojis:[Emoji]",
	"StatusEdit":      "content:s spoiler_text:s sensitive:b created_at:t account:Account poll:EditedPoll? media_attachments:[Attachment] emojis:[Emoji]",
	"StatusSource":    "id:s! text:s spoiler_text:s content_type:s!",
	"Context":         "ancestors:[Status] descendants:[Status]",
	"Scheduled":       "id:s! scheduled_at:t params:ScheduledParams media_attachments:[Attachment]",
	"ScheduledParams": `text:s sensitive:b? spoiler_text:s? visibility:s!? scheduled_at:t poll:o? in_reply_to_id:s!? ~media_ids:[s!]`,
	"Notification": `id:s! type:=mention,status,reblog,follow,follow_request,favourite,poll,update,move,admin.sign_up,admin.report,svc:emoji_reaction,svc:chat_mention,svc:report
		created_at:t account:Account status:Status? svc:NotificationSvc ~target:Account ~emoji:s! ~chat_message:ChatMessage ~report:o`,
	"NotificationSvc": "is_seen:b is_muted:b",
	"Count":           "count:i",
	"Filter":          "id:s! phrase:s! context:[=home,notifications,public,thread,account] expires_at:t? irreversible:b whole_word:b",
	"FilterV2":        "id:s! title:s! context:[=home,notifications,public,thread,account] expires_at:t? filter_action:=warn,hide,blur keywords:[FilterKeyword] statuses:[FilterStatus]",
	"FilterHead":      "id:s! title:s! context:[=home,notifications,public,thread,account] expires_at:t? filter_action:=warn,hide,blur",
	"FilterKeyword":   "id:s! keyword:s! whole_word:b",
	"FilterStatus":    "id:s! status_id:s!",
	"FilterResult":    "filter:FilterHead keyword_matches:[s!]? status_matches:[s!]?",
	"List":            "id:s! title:s! replies_policy:=list,followed,none exclusive:b",
	"Conversation":    "id:s! unread:b accounts:[Account] last_status:Status? svc:ConversationSvc",
	"ConversationSvc": "recipients:[Account]",
	"Marker":          "last_read_id:s version:i updated_at:t svc:MarkerSvc",
	"MarkerSvc":       "unread_count:i",
	"Push":            `id:i endpoint:u alerts:Alerts policy:s! server_key:s! standard:b`,
	"Alerts": `follow:b follow_request:b favourite:b mention:b reblog:b poll:b status:b update:b admin.sign_up:b admin.report:b svc:chat_mention:b
		svc:emoji_reaction:b`,
	"Report": `id:s! action_taken:b action_taken_at:t? category:=spam,legal,violation,other comment:s forwarded:b created_at:t status_ids:[s!] rule_ids:[s!]
		target_account:Account`,
	"SearchV1":    "accounts:[Account] statuses:[Status] hashtags:[s!]",
	"SearchV2":    "accounts:[Account] statuses:[Status] hashtags:[FoundTag]",
	"Preferences": "posting:default:visibility:s! posting:default:sensitive:b posting:default:language:s!? reading:expand:media:s! reading:expand:spoilers:b",

	"App":         `id:s! name:s! website:s? redirect_uri:s! redirect_uris:[s!] scopes:[s!] client_id:s! client_secret:s! client_secret_expires_at:i ~vapid_key:s!`,
	"VerifiedApp": "id:s! name:s! website:s? redirect_uri:s! redirect_uris:[s!] scopes:[s!] ~vapid_key:s!",
	"Token":       "token_type:=Bearer access_token:s! scope:s created_at:i ~refresh_token:s! ~expires_in:i ~me:s!",
	"GivenToken":  "id:i app_name:s valid_until:t",
	"UserInfo":    "iss:s! sub:s! name:s preferred_username:s! profile:u picture:u",
	"Metadata": `issuer:s! authorization_endpoint:u token_endpoint:u revocation_endpoint:u userinfo_endpoint:u app_registration_endpoint:u
		scopes_supported:[s!] response_types_supported:[s!] response_modes_supported:[s!] grant_types_supported:[s!]
		token_endpoint_auth_methods_supported:[s!] code_challenge_methods_supported:[s!] ~service_documentation:u`,
	"Registration": "message:s! identifier:=missing_confirmed_email,awaiting_approval,manual_login_required",
	"Captcha":      "type:s! ~token:s! ~url:s! ~answer_data:s! ~seconds_valid:i",
	"Done":         "status:=success",
	"Refused":      "error:s!",
	"MFA":          "settings:MFASettings",
	"MFASettings":  "enabled:b totp:b",
	"TOTP":         "key:s! provisioning_uri:s!",
	"Codes":        "codes:[s!]",
	"SSHKey":       "id:i name:s type:s! fingerprint:s! created_at:t last_used_at:t?",
	"Backup":       "id:i content_type:s! url:s file_size:i processed:b inserted_at:t",
	"Aliases":      "aliases:[s!]",

	"Chat":        "id:s! account:Account unread:i last_message:ChatMessage? updated_at:t",
	"ChatMessage": "id:s! chat_id:s! account_id:s! content:s? created_at:t emojis:[Emoji] attachment:Attachment? card:Card? unread:b ~idempotency_key:s!",
	"Reaction":    "name:s! count:i me:b accounts:[Account]",
	"Scrobble":    "id:s! account:Account title:s artist:s album:s length:i? created_at:t",

	"Instance": `uri:s! title:s short_description:s description:s email:s version:s! urls:URLs stats:Stats thumbnail:u languages:[s!] registrations:b
		approval_required:b invites_enabled:b contact_account:Account? rules:[Rule] configuration:Configuration max_toot_chars:i poll_limits:PollLimits
		upload_limit:i avatar_upload_limit:i background_upload_limit:i banner_upload_limit:i background_image:u chat_limit:i description_limit:i
		vapid_public_key:s? svc:InstanceSvc`,
	"URLs":              "streaming_api:s!",
	"Stats":             "user_count:i status_count:i domain_count:i",
	"Configuration":     "statuses:StatusLimits media_attachments:MediaLimits polls:PollConfiguration",
	"StatusLimits":      "max_characters:i max_media_attachments:i characters_reserved_per_url:i",
	"MediaLimits":       "supported_mime_types:[s!] image_size_limit:i image_matrix_limit:i video_size_limit:i video_frame_rate_limit:i video_matrix_limit:i",
	"PollLimits":        "max_options:i max_option_chars:i min_expiration:i max_expiration:i",
	"InstanceSvc":       "metadata:InstanceMeta vapid_public_key:s?",
	"InstanceMeta":      "account_activation_required:b features:[s!] federation:Federation fields_limits:FieldsLimits post_formats:[s!]",
	"Federation":        "enabled:b ~exclusions:b ~mrf_policies:[s!] ~mrf_simple:o ~quarantined_instances:[s!]",
	"FieldsLimits":      "max_fields:i max_remote_fields:i name_length:i value_length:i",
	"PollConfiguration": "max_options:i max_characters_per_option:i min_expiration:i max_expiration:i",
	"InstanceV2": `domain:s! title:s version:s! source_url:s description:s usage:Usage thumbnail:Thumbnail icon:[Icon] languages:[s!]
		configuration:ConfigurationV2 registrations:Registrations contact:Contact rules:[Rule]`,
	"Usage":      "users:UsageUsers",
	"UsageUsers": "active_month:i",
	"Thumbnail":  "url:u blurhash:s!? versions:o",
	"Icon":       "src:u size:s!",
	"ConfigurationV2": `urls:URLsV2 vapid:VAPID accounts:AccountLimits statuses:StatusLimits media_attachments:MediaV2 polls:PollConfiguration
		translation:Switch timelines_access:Access limited_federation:b`,
	"URLsV2": "streaming:s! status:u? about:u? privacy_policy:u? terms_of_service:u?",
	"VAPID":  "public_key:s",
	"AccountLimits": `max_featured_tags:i max_pinned_statuses:i max_profile_fields:i profile_field_name_limit:i profile_field_value_limit:i
		max_display_name_length:i max_note_length:i`,
	"MediaV2": `supported_mime_types:[s!] image_size_limit:i image_matrix_limit:i video_size_limit:i video_frame_rate_limit:i video_matrix_limit:i
		description_limit:i`,
	"Switch":        "enabled:b",
	"Access":        "live_feeds:Feeds hashtag_feeds:Feeds trending_link_feeds:Feeds",
	"Feeds":         "local:=public,authenticated,disabled remote:=public,authenticated,disabled",
	"Registrations": "enabled:b approval_required:b reason_required:b message:s? min_age:i? url:u?",
	"Contact":       "email:s account:Account?",
	"Rule":          "id:s! text:s! hint:s translations:o",
	"Document":      "updated_at:t? content:s",
	"Terms":         "effective_date:d effective:b content:s succeeded_by:s?",
	"DomainBlock":   "domain:s! digest:s! severity:=suspend,silence comment:s",
	"Language":      "code:s! name:s!",
	"Week":          "week:s! statuses:s! logins:s! registrations:s!",
	"OEmbed":        `type:=rich version:s! title:s author_name:s author_url:u provider_name:s provider_url:u cache_age:i html:s! width:i height:i?`,
	"Unreachable":   "unreachable:{t}",
	"EmojiPicture":  "image_url:s! tags:[s]",
	"EmojiPacks":    "packs:{EmojiPack} count:i",
	"EmojiPack":     "files:{s!} files_count:i pack:o",
	"Links":         "links:[o]",
	"NodeInfo":      "version:s! software:Software protocols:[s!] services:o openRegistrations:b usage:o metadata:NodeInfoMeta",
	"Software":      "name:s! version:s! ~repository:s!",
	"NodeInfoMeta":  "nodeName:s nodeDescription:s private:b staffAccounts:[s!] features:[s!] postFormats:[s!] upstream:Upstream",
	"Upstream":      "name:=mastodon",

	"Announcement": `id:s! content:s starts_at:t? ends_at:t? all_day:b published:b published_at:t updated_at:t read:b mentions:[Mention] statuses:[o]
		tags:[StatusTag] emojis:[Emoji] reactions:[AnnouncementReaction]`,
	"AnnouncementReaction": "name:s! count:i me:b ~url:u ~static_url:u",
}

// rules are what apps need beyond the types of fields, by entity.
var rules = map[string]func(any) string{
	"Notification": func(v any) string {
		n := v.(map[string]any)
		switch n["type"] {
		case "mention", "status", "reblog", "favourite", "poll", "update", "svc:emoji_reaction":
			if n["status"] == nil {
				return "has no status"
			}
		case "move":
			if n["target"] == nil {
				return "has no target"
			}
		}
		return ""
	},
	"Status": func(v any) string {
		s := v.(map[string]any)
		if of, ok := s["reblog"].(map[string]any); ok && of["reblog"] != nil {
			return "reblogs a reblog"
		}
		return ""
	},
}

// answers are the shapes of the answers that the routes of the client API give if all goes
// well, by method and path; - for routes that answer with something else than JSON.
var answers = map[string]string{
	"POST /api/v1/apps": "App", "GET /api/v1/apps/verify_credentials": "VerifiedApp",
	"POST /oauth/token": "Token", "POST /oauth/revoke": "Empty", "POST /oauth/mfa/challenge": "Token",
	"GET /oauth/userinfo": "UserInfo", "POST /oauth/userinfo": "UserInfo",
	"GET /api/oauth_tokens": "[GivenToken]", "DELETE /api/oauth_tokens/:id": "-", "GET /.well-known/oauth-authorization-server": "Metadata",
	"POST /api/v1/accounts": "Token|Registration", "GET /api/svc/captcha": "Captcha", "POST /api/v1/svc/accounts/confirmation_resend": "-",
	"POST /api/svc/change_password": "Done|Refused", "POST /api/svc/change_email": "Done|Refused", "POST /api/svc/delete_account": "Done|Refused",
	"POST /api/svc/disable_account": "Done|Refused", "GET /api/svc/aliases": "Aliases", "PUT /api/svc/aliases": "Done", "DELETE /api/svc/aliases": "Done",
	"POST /api/svc/move_account": "Done|Refused", "DELETE /api/svc/move_account": "Done|Refused",
	"GET /api/svc/accounts/mfa": "MFA", "GET /api/svc/accounts/mfa/setup/:method": "TOTP", "POST /api/svc/accounts/mfa/confirm/:method": "Empty",
	"DELETE /api/svc/accounts/mfa": "Empty", "DELETE /api/svc/accounts/mfa/:method": "Empty", "GET /api/svc/accounts/mfa/backup_codes": "Codes",
	"GET /api/svc/ssh_keys": "[SSHKey]", "POST /api/svc/ssh_keys": "SSHKey", "DELETE /api/svc/ssh_keys/:id": "-",
	"GET /api/v1/svc/backups": "[Backup]", "POST /api/v1/svc/backups": "[Backup]",

	"GET /api/v1/accounts/verify_credentials": "OwnAccount", "PATCH /api/v1/accounts/update_credentials": "OwnAccount",
	"GET /api/v1/accounts/relationships": "[Relationship]", "GET /api/v1/accounts/familiar_followers": "[Familiar]",
	"GET /api/v1/accounts/search": "[Account]", "GET /api/v1/accounts/lookup": "Account", "GET /api/v1/accounts": "[Account]",
	"GET /api/v1/accounts/:id": "Account", "GET /api/v1/accounts/:id/followers": "[Account]", "GET /api/v1/accounts/:id/following": "[Account]",
	"GET /api/v1/accounts/:id/identity_proofs": "[a]", "GET /api/v1/accounts/:id/featured_tags": "[a]", "GET /api/v1/accounts/:id/endorsements": "[Account]",
	"POST /api/v1/accounts/:id/follow": "Relationship", "POST /api/v1/accounts/:id/unfollow": "Relationship",
	"POST /api/v1/accounts/:id/block": "Relationship", "POST /api/v1/accounts/:id/unblock": "Relationship",
	"POST /api/v1/accounts/:id/mute": "Relationship", "POST /api/v1/accounts/:id/unmute": "Relationship", "POST /api/v1/accounts/:id/note": "Relationship",
	"POST /api/v1/accounts/:id/remove_from_followers": "Relationship", "GET /api/v1/accounts/:id/lists": "[List]", "POST /api/v1/follows": "Relationship",
	"POST /api/v1/svc/accounts/:id/subscribe": "Relationship", "POST /api/v1/svc/accounts/:id/unsubscribe": "Relationship",
	"GET /api/v1/blocks": "[Account]", "GET /api/v1/mutes": "[Account]", "GET /api/v1/domain_blocks": "[s!]", "POST /api/v1/domain_blocks": "Empty",
	"DELETE /api/v1/domain_blocks": "Empty", "GET /api/v1/follow_requests": "[Account]",
	"POST /api/v1/follow_requests/:id/authorize": "Relationship", "POST /api/v1/follow_requests/:id/reject": "Relationship",
	"GET /api/v1/tags/:name": "Tag", "POST /api/v1/tags/:name/follow": "Tag", "POST /api/v1/tags/:name/unfollow": "Tag", "GET /api/v1/followed_tags": "[Tag]",
	"GET /api/v1/lists": "[List]", "POST /api/v1/lists": "List", "GET /api/v1/lists/:id": "List", "PUT /api/v1/lists/:id": "List",
	"DELETE /api/v1/lists/:id": "Empty", "GET /api/v1/lists/:id/accounts": "[Account]", "POST /api/v1/lists/:id/accounts": "Empty",
	"DELETE /api/v1/lists/:id/accounts": "Empty",
	"GET /api/v1/filters":               "[Filter]", "POST /api/v1/filters": "Filter", "GET /api/v1/filters/:id": "Filter", "PUT /api/v1/filters/:id": "Filter",
	"DELETE /api/v1/filters/:id": "Empty", "GET /api/v2/filters": "[FilterV2]", "POST /api/v2/filters": "FilterV2", "GET /api/v2/filters/:id": "FilterV2",
	"PUT /api/v2/filters/:id": "FilterV2", "DELETE /api/v2/filters/:id": "Empty", "GET /api/v2/filters/:id/keywords": "[FilterKeyword]",
	"POST /api/v2/filters/:id/keywords": "FilterKeyword", "GET /api/v2/filters/keywords/:id": "FilterKeyword", "PUT /api/v2/filters/keywords/:id": "FilterKeyword",
	"DELETE /api/v2/filters/keywords/:id": "Empty", "GET /api/v2/filters/:id/statuses": "[FilterStatus]", "POST /api/v2/filters/:id/statuses": "FilterStatus",
	"GET /api/v2/filters/statuses/:id": "FilterStatus", "DELETE /api/v2/filters/statuses/:id": "FilterStatus|Empty",
	"GET /api/v1/endorsements": "[a]", "GET /api/v1/suggestions": "[a]", "GET /api/v2/suggestions": "[a]", "GET /api/v1/preferences": "Preferences",
	"PUT /api/web/settings": "Empty", "POST /api/svc/follow_import": "s!", "POST /api/svc/blocks_import": "s!", "POST /api/svc/mutes_import": "s!",
	"GET /api/v1/svc/accounts/:id/scrobbles": "[Scrobble]", "POST /api/v1/svc/scrobble": "Scrobble",

	"GET /api/v1/notifications": "[Notification]", "GET /api/v1/notifications/unread_count": "Count", "GET /api/v1/notifications/:id": "Notification",
	"POST /api/v1/notifications/clear": "Empty", "POST /api/v1/notifications/dismiss": "Empty", "POST /api/v1/notifications/:id/dismiss": "Empty",
	"DELETE /api/v1/notifications/destroy_multiple": "Empty", "POST /api/v1/svc/notifications/read": "Notification|[Notification]",
	"PUT /api/svc/notification_settings": "Done", "GET /api/v1/markers": "{Marker}", "POST /api/v1/markers": "{Marker}",
	"GET /api/v1/push/subscription": "Push", "POST /api/v1/push/subscription": "Push", "PUT /api/v1/push/subscription": "Push",
	"DELETE /api/v1/push/subscription": "Empty",
	"GET /api/v1/announcements":        "[Announcement]", "POST /api/v1/announcements/:id/dismiss": "Empty",
	"PUT /api/v1/announcements/:id/reactions/:name": "Empty", "DELETE /api/v1/announcements/:id/reactions/:name": "Empty",

	"POST /api/v1/svc/chats/by-account-id/:id": "Chat", "GET /api/v1/svc/chats": "[Chat]", "GET /api/v1/svc/chats/:id": "Chat",
	"GET /api/v1/svc/chats/:id/messages": "[ChatMessage]", "POST /api/v1/svc/chats/:id/messages": "ChatMessage",
	"DELETE /api/v1/svc/chats/:id/messages/:message_id": "ChatMessage", "POST /api/v1/svc/chats/:id/read": "Chat",
	"POST /api/v1/svc/chats/:id/messages/:message_id/read": "ChatMessage",

	"GET /api/v1/instance": "Instance", "GET /api/v2/instance": "InstanceV2", "GET /api/v1/instance/rules": "[Rule]",
	"GET /api/v1/instance/extended_description": "Document", "GET /api/v1/instance/privacy_policy": "Document",
	"GET /api/v1/instance/terms_of_service": "Terms", "GET /api/v1/instance/domain_blocks": "[DomainBlock]", "GET /api/v1/instance/languages": "[Language]",
	"GET /api/v1/instance/peers": "[s!]", "GET /api/v1/instance/activity": "[Week]", "GET /api/oembed": "OEmbed",
	"GET /api/v1/svc/federation_status": "Unreachable", "GET /api/svc/frontend_configurations": "o", "GET /api/svc/healthcheck": "o",
	"GET /.well-known/host-meta": "-", "GET /.well-known/host-meta.json": "Links", "GET /.well-known/webfinger": "-",
	"GET /api/v1/custom_emojis": "[CustomEmoji]", "GET /api/svc/emoji": "{EmojiPicture}", "GET /api/svc/emoji/packs": "EmojiPacks",
	"GET /api/svc/emoji/packs/archive": "-", "GET /api/svc/emoji/pack": "EmojiPack",
	"GET /api/v1/trends": "[a]", "GET /api/v1/trends/tags": "[a]", "GET /api/v1/trends/statuses": "[a]", "GET /api/v1/trends/links": "[a]",
	"GET /api/v1/identity_proofs": "[a]", "GET /.well-known/nodeinfo": "Links", "GET /nodeinfo/:version": "NodeInfo",

	"GET /api/v1/timelines/home": "[Status]", "GET /api/v1/timelines/public": "[Status]", "GET /api/v1/timelines/tag/:tag": "[Status]",
	"GET /api/v1/timelines/list/:id": "[Status]", "GET /api/v1/timelines/direct": "[Status]", "GET /api/v1/accounts/:id/statuses": "[Status]",
	"GET /api/v1/statuses": "[Status]", "POST /api/v1/statuses": "Scheduled|Status", "GET /api/v1/statuses/:id": "Status", "PUT /api/v1/statuses/:id": "Status",
	"DELETE /api/v1/statuses/:id": "Status", "GET /api/v1/statuses/:id/source": "StatusSource", "GET /api/v1/statuses/:id/history": "[StatusEdit]",
	"GET /api/v1/scheduled_statuses": "[Scheduled]", "GET /api/v1/scheduled_statuses/:id": "Scheduled", "PUT /api/v1/scheduled_statuses/:id": "Scheduled",
	"DELETE /api/v1/scheduled_statuses/:id": "Scheduled",
	"GET /api/v1/conversations":             "[Conversation]", "POST /api/v1/conversations/:id/read": "Conversation", "DELETE /api/v1/conversations/:id": "Empty",
	"POST /api/v1/svc/conversations/read": "[Conversation]", "GET /api/v1/svc/conversations/:id": "Conversation",
	"GET /api/v1/svc/conversations/:id/statuses": "[Status]", "PATCH /api/v1/svc/conversations/:id": "Conversation",
	"POST /api/v1/statuses/:id/reblog": "Status", "POST /api/v1/statuses/:id/unreblog": "Status", "POST /api/v1/statuses/:id/favourite": "Status",
	"POST /api/v1/statuses/:id/unfavourite": "Status", "POST /api/v1/statuses/:id/bookmark": "Status", "POST /api/v1/statuses/:id/unbookmark": "Status",
	"POST /api/v1/statuses/:id/pin": "Status", "POST /api/v1/statuses/:id/unpin": "Status", "POST /api/v1/statuses/:id/mute": "Status",
	"POST /api/v1/statuses/:id/unmute": "Status", "GET /api/v1/statuses/:id/context": "Context", "GET /api/v1/statuses/:id/reblogged_by": "[Account]",
	"GET /api/v1/statuses/:id/favourited_by": "[Account]", "GET /api/v1/statuses/:id/card": "Card?", "GET /api/v1/bookmarks": "[Status]",
	"GET /api/v1/favourites": "[Status]", "GET /api/v1/svc/accounts/:id/favourites": "[Status]", "GET /api/v1/svc/statuses/:id/reactions": "[Reaction]",
	"GET /api/v1/svc/statuses/:id/reactions/:emoji": "[Reaction]", "PUT /api/v1/svc/statuses/:id/reactions/:emoji": "Status",
	"DELETE /api/v1/svc/statuses/:id/reactions/:emoji": "Status", "GET /api/v1/polls/:id": "Poll", "POST /api/v1/polls/:id/votes": "Poll",

	"POST /api/v1/media": "Attachment", "POST /api/v2/media": "Attachment", "GET /api/v1/media/:id": "Attachment", "PUT /api/v1/media/:id": "Attachment",
	"DELETE /api/v1/media/:id": "Empty", "GET /api/v1/svc/mascot": "Attachment", "PUT /api/v1/svc/mascot": "Attachment",
	"GET /api/v1/search": "SearchV1", "GET /api/v2/search": "SearchV2", "GET /api/v1/streaming/health": "-", "POST /api/v1/reports": "Report",
}

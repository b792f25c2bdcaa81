package config

// policies are the modules of keys: their settings matter while the module is
// in :mrf.
var policies = map[string]string{
	":mrf_simple":              "Svc.Web.ActivityPub.MRF.SimplePolicy",
	":mrf_keyword":             "Svc.Web.ActivityPub.MRF.KeywordPolicy",
	":mrf_hellthread":          "Svc.Web.ActivityPub.MRF.HellthreadPolicy",
	":mrf_normalize_markup":    "Svc.Web.ActivityPub.MRF.NormalizeMarkup",
	":mrf_vocabulary":          "Svc.Web.ActivityPub.MRF.VocabularyPolicy",
	":mrf_subchain":            "Svc.Web.ActivityPub.MRF.SubchainPolicy",
	":mrf_object_age":          "Svc.Web.ActivityPub.MRF.ObjectAgePolicy",
	":mrf_rejectnonpublic":     "Svc.Web.ActivityPub.MRF.RejectNonPublic",
	":mrf_mention":             "Svc.Web.ActivityPub.MRF.MentionPolicy",
	":mrf_activity_expiration": "Svc.Web.ActivityPub.MRF.ActivityExpirationPolicy",
	":mrf_steal_emoji":         "Svc.Web.ActivityPub.MRF.StealEmojiPolicy",
	":mrf_user_allowlist":      "Svc.Web.ActivityPub.MRF.UserAllowListPolicy",
}

// mailers are the modules of settings of Svc.Emails.Mailer.
var mailers = map[string]string{
	":relay":         "Swoosh.Adapters.SMTP",
	":username":      "Swoosh.Adapters.SMTP",
	":password":      "Swoosh.Adapters.SMTP",
	":port":          "Swoosh.Adapters.SMTP",
	":retries":       "Swoosh.Adapters.SMTP",
	":ssl":           "Swoosh.Adapters.SMTP",
	":tls":           "Swoosh.Adapters.SMTP",
	":auth":          "Swoosh.Adapters.SMTP",
	":no_mx_lookups": "Swoosh.Adapters.SMTP",
	":cmd_path":      "Swoosh.Adapters.Sendmail",
	":cmd_args":      "Swoosh.Adapters.Sendmail",
	":qmail":         "Swoosh.Adapters.Sendmail",
	":secret":        "Swoosh.Adapters.Mailjet",
	":access_key":    "Swoosh.Adapters.AmazonSES",
	":access_token":  "Swoosh.Adapters.Gmail",
}

// types are the types of settings whose kind is not specific enough, by name.
var types = map[string]Type{
	"mrf.policies":                                     several(simple("module"), listOf("module")),
	"mrf_keyword.replace":                              listOf("tuple"),
	"mrf_subchain.match_actor":                         several(simple("map"), listOf("string")),
	"mrf_user_allowlist":                               several(simple("map"), listOf("string")),
	"instance.background_image":                        several(simple("string"), simple("image")),
	"instance.instance_thumbnail":                      several(simple("string"), simple("image")),
	"assets.default_user_avatar":                       several(simple("string"), simple("image")),
	"feed.logo":                                        several(simple("string"), simple("image")),
	"Svc.Emails.UserEmail.logo":                        several(simple("string"), simple("image")),
	"Svc.Upload.Filter.Mogrify.args":                   several(simple("string"), listOf("string"), listOf("tuple")),
	"connections_pool.reclaim_multiplier":              simple("integer"), // there is no word for fractions
	"prometheus.Svc.Web.Endpoint.MetricsExporter.auth": several(simple("boolean"), simple("tuple")),
}

// choices are the possible values of such settings, by name.
var choices = map[string][]string{
	"mrf.policies": {
		"Svc.Web.ActivityPub.MRF.ActivityExpirationPolicy", "Svc.Web.ActivityPub.MRF.AntiFollowbotPolicy",
		"Svc.Web.ActivityPub.MRF.AntiLinkSpamPolicy", "Svc.Web.ActivityPub.MRF.DropPolicy",
		"Svc.Web.ActivityPub.MRF.EnsureRePrepended", "Svc.Web.ActivityPub.MRF.ForceBotUnlistedPolicy",
		"Svc.Web.ActivityPub.MRF.HellthreadPolicy", "Svc.Web.ActivityPub.MRF.KeywordPolicy",
		"Svc.Web.ActivityPub.MRF.MentionPolicy", "Svc.Web.ActivityPub.MRF.NoOpPolicy",
		"Svc.Web.ActivityPub.MRF.NoPlaceholderTextPolicy", "Svc.Web.ActivityPub.MRF.NormalizeMarkup",
		"Svc.Web.ActivityPub.MRF.ObjectAgePolicy", "Svc.Web.ActivityPub.MRF.RejectNonPublic",
		"Svc.Web.ActivityPub.MRF.SimplePolicy", "Svc.Web.ActivityPub.MRF.SubchainPolicy",
		"Svc.Web.ActivityPub.MRF.TagPolicy", "Svc.Web.ActivityPub.MRF.UserAllowListPolicy",
		"Svc.Web.ActivityPub.MRF.VocabularyPolicy",
	},
}

// keyLabels are labels that do not follow from the key.
var keyLabels = map[string]string{
	":activitypub":             "ActivityPub",
	":http":                    "HTTP",
	":http_security":           "HTTP security",
	":ldap":                    "LDAP",
	":mrf":                     "MRF",
	":mrf_simple":              "MRF Simple",
	":mrf_keyword":             "MRF Keyword",
	":mrf_hellthread":          "MRF Hellthread",
	":mrf_normalize_markup":    "MRF Normalize Markup",
	":mrf_vocabulary":          "MRF Vocabulary",
	":mrf_subchain":            "MRF Subchain",
	":mrf_object_age":          "MRF Object Age",
	":mrf_rejectnonpublic":     "MRF Reject Non Public",
	":mrf_mention":             "MRF Mention",
	":mrf_activity_expiration": "MRF Activity Expiration Policy",
	":mrf_steal_emoji":         "MRF Steal Emoji",
	":mrf_user_allowlist":      "MRF User Allow List",
	":oauth2":                  "OAuth2",
	":static_fe":               "Static FE",
}

// keyTexts describe the keys.
var keyTexts = map[string]string{
	":gopher":                                "Pages by the gopher protocol",
	":hackney_pools":                         "Connections of another program for the same calls",
	":majic_pool":                            "Detection of file types",
	":modules":                               "Programs that are added to the service",
	":instances_favicons":                    "Small pictures of other servers",
	":client_compatibility":                  "Help for clients that know less",
	"Svc.Web.Metadata":                       "Tags by which other programs preview pages",
	"Svc.Web.Preload":                        "Data that pages bring along for the web client",
	":activitypub":                           "How the service speaks ActivityPub",
	":assets":                                "Pictures that the service shows",
	":auth":                                  "Scopes of admin endpoints, and log-in",
	":chat":                                  "The chat room of the whole instance",
	":connections_pool":                      "Connections to other servers",
	":email_notifications":                   "Mail about what people missed",
	":emoji":                                 "Custom emoji",
	":feed":                                  "Feeds of what people post",
	":frontend_configurations":               "Look of front ends",
	":frontends":                             "Front ends that are installed",
	":http":                                  "Calls to other servers",
	":http_security":                         "Headers that tell browsers what to refuse",
	":instance":                              "Name, limits and access of the instance",
	":ldap":                                  "Accounts of a directory server",
	":manifest":                              "Look of the installed web client",
	":markup":                                "Markup that is kept in texts",
	":media_preview_proxy":                   "Small previews of remote files",
	":media_proxy":                           "Remote files fetched for people",
	":mrf":                                   "Policies that activities pass on their way in and out",
	":mrf_activity_expiration":               "Gives each post an end",
	":mrf_hellthread":                        "Hides or refuses posts to many people",
	":mrf_keyword":                           "Refuses, hides or rewrites posts by their words",
	":mrf_mention":                           "Refuses posts that mention somebody",
	":mrf_normalize_markup":                  "Cleans the markup of posts",
	":mrf_object_age":                        "Hides or refuses posts that are old",
	":mrf_rejectnonpublic":                   "Refuses posts that are not public",
	":mrf_simple":                            "Refuses or changes activities of some servers",
	":mrf_steal_emoji":                       "Takes over emoji of other servers",
	":mrf_subchain":                          "Policies for some actors only",
	":mrf_user_allowlist":                    "Takes posts of some actors only, server by server",
	":mrf_vocabulary":                        "Takes or refuses activities by type",
	":multi_factor_authentication":           "Second factors",
	":oauth2":                                "Tokens of clients",
	":pools":                                 "Calls to other servers, by what they are for",
	":rate_limit":                            "How often things may be done; milliseconds and a count, for addresses and for users",
	":restrict_unauthenticated":              "Timelines, profiles and statuses that need a log-in",
	":rich_media":                            "Previews of pages that posts link to",
	":static_fe":                             "Pages for browsers without scripts",
	":streamer":                              "Streaming of events",
	":streaming":                             "Open streams of events",
	":uri_schemes":                           "Links that are taken",
	":user":                                  "Follows between people",
	":web_cache_ttl":                         "How long answers to other servers are kept",
	":welcome":                               "Messages and mail to new accounts",
	":workers":                               "Retries of jobs",
	"Oban":                                   "Job queues, and jobs by the clock",
	"Svc.Captcha":                            "Captchas for registration",
	"Svc.Captcha.Kocaptcha":                  "A captcha service",
	"Svc.Emails.Mailer":                      "Module that sends mail: through a relay (SMTP), or by a program on this machine (Sendmail)",
	"Svc.Emails.NewUsersDigestEmail":         "Daily mail to admins about new people",
	"Svc.Emails.UserEmail":                   "Look of mails",
	"Svc.Formatter":                          "How links in posts are written",
	"Svc.ScheduledActivity":                  "Posts for later",
	"Svc.Upload":                             "Files that people upload",
	"Svc.Upload.Filter.AnonymizeFilename":    "Gives files another name",
	"Svc.Upload.Filter.Mogrify":              "Changes pictures",
	"Svc.Uploaders.Local":                    "Files kept in a folder",
	"Svc.Uploaders.S3":                       "Files kept in a bucket",
	"Svc.User":                               "Nicknames and mail domains that cannot register",
	"Svc.User.Backup":                        "Archives of what people posted",
	"Svc.Web.ApiSpec.CastAndValidate":        "How strictly requests are read",
	"Svc.Web.MediaProxy.Invalidation.Http":   "Tells a cache to forget files, by HTTP",
	"Svc.Web.MediaProxy.Invalidation.Script": "Tells a cache to forget files, by a program",
	"Svc.Web.Plugs.RemoteIp":                 "Addresses of callers behind proxies",
	"Svc.Workers.PurgeExpiredActivity":       "Posts with an end",
}

// containerTexts describe the containers, by name.
var containerTexts = map[string]string{
	"feed.post_title":                                   "Titles of posts in feeds",
	"hackney_pools.federation":                          "Connections for federation",
	"hackney_pools.media":                               "Connections for files of other servers",
	"hackney_pools.upload":                              "Connections for uploads to a bucket",
	"instance.multi_factor_authentication":              "Second factors of log-ins",
	"instance.multi_factor_authentication.backup_codes": "Codes that replace the one-time code when a device is lost",
	"instance.multi_factor_authentication.totp":         "One-time codes of an app",
	"instance.poll_limits":                              "Limits of polls; replaced as a whole",
	"media_proxy.invalidation":                          "Requests to a cache in front to forget files",
	"media_proxy.proxy_opts":                            "Limits of fetching remote files",
	"pools.default":                                     "Calls that are for nothing else in this list",
	"pools.federation":                                  "Calls for federation",
	"pools.media":                                       "Calls for files of other servers",
	"pools.upload":                                      "Calls for uploads to a bucket",
	"restrict_unauthenticated.activities":               "Single statuses that need a log-in; replaced as a whole",
	"restrict_unauthenticated.profiles":                 "Profiles that need a log-in; replaced as a whole",
	"restrict_unauthenticated.timelines":                "Timelines that need a log-in; replaced as a whole",
	"welcome.chat_message":                              "Chat message to new accounts",
	"welcome.direct_message":                            "Direct message to new accounts",
	"welcome.email":                                     "Mail to new accounts",
	"workers.retries":                                   "Number of tries of a job, by queue",
	"Oban.queues":                                       "Number of jobs that run at once, by queue",
	"Svc.Emails.UserEmail.styling":                      "Colours of mails",
	"web_push_encryption.vapid_details":                 "Keys of push messages",
}

// containerText returns the description of the container of s at the first
// depth words of its path.
func (s Setting) containerText(depth int) string {
	s.Path = s.Path[:depth]
	return containerTexts[s.Name()]
}

// keyText returns the description of a key of the service, or of another group.
func keyText(group, key string) string {
	switch group {
	case ":svc":
		return keyTexts[key]
	case ":cors_plug":
		return "Access of other sites' pages (CORS)"
	case ":mime":
		return "Types of files"
	case ":logger":
		return "Logging"
	case ":ex_aws":
		return "The server that has the bucket"
	case ":web_push_encryption":
		return "Notifications to browsers"
	case ":quack":
		return "Errors reported to a chat"
	case ":prometheus":
		return "Metrics for Prometheus"
	}
	return ""
}

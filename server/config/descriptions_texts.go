package config

// policies are the modules that the settings of a key belong to: they matter
// while the module is among those of :mrf.
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

// mailers are the modules that alone have a setting of Svc.Emails.Mailer.
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

// types are those of settings whose kind does not tell all that they may be, by
// name.
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

// choices are what there is to choose from where the kind does not tell, by
// name.
var choices = map[string][]any{
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
	"Svc.Upload.uploader": {"Svc.Uploaders.Local", "Svc.Uploaders.S3"},
	"Svc.Upload.filters": {
		"Svc.Upload.Filter.AnonymizeFilename", "Svc.Upload.Filter.Dedupe", "Svc.Upload.Filter.Exiftool",
		"Svc.Upload.Filter.Mogrifun", "Svc.Upload.Filter.Mogrify",
	},
}

// keyLabels are those of keys that their names do not give.
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

// keyTexts say what the settings of a key are for.
var keyTexts = map[string]string{
	":gopher":                                "Pages by the gopher protocol",
	":hackney_pools":                         "Connections of another program for the same calls",
	":majic_pool":                            "What finds out what files are",
	":modules":                               "Programs that are added to the service",
	":instances_favicons":                    "Small pictures of other servers",
	":client_compatibility":                  "What old clients are told",
	"Svc.Web.Metadata":                       "What pages tell those that preview them",
	"Svc.Web.Preload":                        "What pages bring along for the web client",
	":activitypub":                           "How the service speaks ActivityPub",
	":assets":                                "Pictures that the service shows",
	":auth":                                  "Who may do what, and how people log in",
	":chat":                                  "The chat room of the whole instance",
	":connections_pool":                      "Connections to other servers",
	":email_notifications":                   "Mail about what people missed",
	":emoji":                                 "Custom emoji",
	":feed":                                  "Feeds of what people post",
	":frontend_configurations":               "What front ends look like",
	":frontends":                             "Front ends that are installed",
	":http":                                  "Calls to other servers",
	":http_security":                         "Headers that tell browsers what to refuse",
	":instance":                              "What the instance is called, what it takes and who may use it",
	":ldap":                                  "Accounts of a directory server",
	":manifest":                              "What the web client looks like once installed",
	":markup":                                "What markup of texts is kept",
	":media_preview_proxy":                   "Small previews of remote files",
	":media_proxy":                           "Remote files fetched for people",
	":mrf":                                   "Policies that what comes in and goes out must pass",
	":mrf_activity_expiration":               "Gives each post an end",
	":mrf_hellthread":                        "Hides or refuses posts to many people",
	":mrf_keyword":                           "Refuses, hides or rewrites posts by their words",
	":mrf_mention":                           "Refuses posts that mention somebody",
	":mrf_normalize_markup":                  "Cleans the markup of posts",
	":mrf_object_age":                        "Hides or refuses posts that are old",
	":mrf_rejectnonpublic":                   "Refuses posts that are not public",
	":mrf_simple":                            "Refuses or changes what comes from some servers",
	":mrf_steal_emoji":                       "Takes over emoji of other servers",
	":mrf_subchain":                          "Policies for some actors only",
	":mrf_user_allowlist":                    "Takes posts of some actors only, server by server",
	":mrf_vocabulary":                        "Takes or refuses activities by type",
	":multi_factor_authentication":           "Second factors",
	":oauth2":                                "Tokens of clients",
	":pools":                                 "Calls to other servers, by what they are for",
	":rate_limit":                            "How often things may be done; milliseconds and a count, for addresses and for users",
	":restrict_unauthenticated":              "What people cannot see without logging in",
	":rich_media":                            "Previews of pages that posts link to",
	":static_fe":                             "Pages for browsers without scripts",
	":streamer":                              "What happens, told at once",
	":uri_schemes":                           "Links that are taken",
	":user":                                  "What people may do to each other",
	":web_cache_ttl":                         "How long answers to other servers are kept",
	":welcome":                               "What new people are sent",
	":workers":                               "Work that is done later",
	"Oban":                                   "Queues of work, and work that is done at times",
	"Svc.Captcha":                            "Tasks that tell people from programs",
	"Svc.Captcha.Kocaptcha":                  "A captcha service",
	"Svc.Emails.Mailer":                      "How mail is sent",
	"Svc.Emails.NewUsersDigestEmail":         "Daily mail to admins about new people",
	"Svc.Emails.UserEmail":                   "What mail looks like",
	"Svc.Formatter":                          "How links in posts are written",
	"Svc.ScheduledActivity":                  "Posts for later",
	"Svc.Upload":                             "Files that people upload",
	"Svc.Upload.Filter.AnonymizeFilename":    "Gives files another name",
	"Svc.Upload.Filter.Mogrify":              "Changes pictures",
	"Svc.Uploaders.Local":                    "Files kept in a folder",
	"Svc.Uploaders.S3":                       "Files kept in a bucket",
	"Svc.User":                               "Who may register",
	"Svc.User.Backup":                        "Archives of what people posted",
	"Svc.Web.ApiSpec.CastAndValidate":        "How strictly requests are read",
	"Svc.Web.MediaProxy.Invalidation.Http":   "Tells a cache to forget files, by HTTP",
	"Svc.Web.MediaProxy.Invalidation.Script": "Tells a cache to forget files, by a program",
	"Svc.Web.Plugs.RemoteIp":                 "Addresses of callers behind proxies",
	"Svc.Workers.PurgeExpiredActivity":       "Posts with an end",
}

// keyText is what keyTexts has for a key of the service's own, or says of
// another group.
func keyText(group, key string) string {
	switch group {
	case ":svc":
		return keyTexts[key]
	case ":cors_plug":
		return "What pages of other sites may ask for"
	case ":mime":
		return "Types of files"
	case ":logger":
		return "What is logged"
	case ":ex_aws":
		return "The server that has the bucket"
	case ":web_push_encryption":
		return "Notifications to browsers"
	case ":quack":
		return "Errors told to a chat"
	case ":prometheus":
		return "Numbers about the running service"
	}
	return ""
}

package api

// HostLimit is one way in which this server treats another one differently.
type HostLimit string

// The limits.
const (
	LimitReject        HostLimit = "reject"
	LimitMedia         HostLimit = "media"
	LimitSensitive     HostLimit = "sensitive"
	LimitUnlisted      HostLimit = "unlisted"
	LimitFollowersOnly HostLimit = "followers-only"
	LimitReports       HostLimit = "reports"
	LimitAvatars       HostLimit = "avatars"
	LimitBanners       HostLimit = "banners"
	LimitDeletes       HostLimit = "deletes"
	LimitQuarantine    HostLimit = "quarantine"
)

// HostLimitPlace is where a limit stands among the settings of the group :svc, and
// what it does. A limit of a Policy acts only while that is in :mrf :policies.
type HostLimitPlace struct {
	Limit    HostLimit
	Key, Sub string
	Policy   string // module, "" for none
	Means    string // "nothing is accepted from it, sent to it or fetched"
}

// SimplePolicy is the module of the policy that the limits of :mrf_simple need.
const SimplePolicy = "Svc.Web.ActivityPub.MRF.SimplePolicy"

// HostLimits are the limits that one can set, the gravest first. Server and tools
// read this table.
func HostLimits() []HostLimitPlace {
	simple := func(limit HostLimit, sub, means string) HostLimitPlace {
		return HostLimitPlace{Limit: limit, Key: ":mrf_simple", Sub: sub, Policy: SimplePolicy, Means: means}
	}
	return []HostLimitPlace{
		simple(LimitReject, ":reject", "nothing is accepted from it, sent to it or fetched; follows stay, and see nothing new"),
		simple(LimitMedia, ":media_removal", "its posts come without their files"),
		simple(LimitSensitive, ":media_nsfw", "its posts are marked as sensitive"),
		simple(LimitUnlisted, ":federated_timeline_removal", "its posts are in no public timeline; followers see them"),
		simple(LimitFollowersOnly, ":followers_only", "its posts are for the followers of their authors alone"),
		simple(LimitReports, ":report_removal", "its reports are dropped"),
		simple(LimitAvatars, ":avatar_removal", "its accounts come without their avatars"),
		simple(LimitBanners, ":banner_removal", "its accounts come without their banners"),
		simple(LimitDeletes, ":reject_deletes", "what is deleted there stays here"),
		{Limit: LimitQuarantine, Key: ":instance", Sub: ":quarantined_instances", Means: "only public posts are sent to it"},
	}
}

// LimitedHost is another server with its limits. Host is as the settings have it:
// *.far.example is far.example and all below it.
type LimitedHost struct {
	Host   string          `json:"host"`
	Limits List[HostLimit] `json:"limits"`
	Reason string          `json:"reason"`
}

// LimitedQuery selects a page of limited servers by name: those after After, at most
// Limit, 0 for 50.
type LimitedQuery struct {
	After string `json:"after,omitempty" form:"after"`
	Limit int    `json:"limit,omitempty" form:"limit"`
}

// LimitedHosts is the answer to a LimitedQuery, and to HostLimitChanges, where it has
// the servers that were named. Idle is the policies that are switched off though
// limits need them. Next is the After of the next page, "" on the last.
type LimitedHosts struct {
	Hosts List[LimitedHost] `json:"hosts"`
	Idle  List[string]      `json:"idle"`
	Next  string            `json:"next"`
}

// HostLimitChange adds limits to a server and lifts others. A Reason that is not nil
// replaces the one that is kept.
type HostLimitChange struct {
	Host   string      `json:"host"`
	Add    []HostLimit `json:"add,omitempty"`
	Remove []HostLimit `json:"remove,omitempty"`
	Reason *string     `json:"reason,omitempty"`
}

// MaxLimitChanges is how many servers one request may change, MaxLimitReason the
// length of a reason in characters.
const (
	MaxLimitChanges = 250
	MaxLimitReason  = 500
)

// HostLimitChanges changes the limits of servers, all or none.
type HostLimitChanges struct {
	Changes []HostLimitChange `json:"changes"`
}

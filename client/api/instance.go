package api

import "encoding/json"

// Instance describes the server to clients. Sizes are in bytes, times in
// seconds.
type Instance struct {
	URI                   string                `json:"uri" schema:"filled"`
	Title                 string                `json:"title"`
	ShortDescription      string                `json:"short_description"`
	Description           string                `json:"description"`
	Email                 string                `json:"email"`
	Version               string                `json:"version" schema:"filled"` // 2.7.2 (compatible; svc …)
	URLs                  InstanceURLs          `json:"urls"`
	Stats                 InstanceStats         `json:"stats"`
	Thumbnail             string                `json:"thumbnail" schema:"url"`
	Languages             List[string]          `json:"languages" schema:"filled"`
	Registrations         bool                  `json:"registrations"`
	ApprovalRequired      bool                  `json:"approval_required"`
	InvitesEnabled        bool                  `json:"invites_enabled"`
	ContactAccount        *Account              `json:"contact_account"`
	Rules                 List[Rule]            `json:"rules"`
	Configuration         InstanceConfiguration `json:"configuration"`
	MaxTootChars          int                   `json:"max_toot_chars"`
	PollLimits            PollLimits            `json:"poll_limits"`
	UploadLimit           int64                 `json:"upload_limit"`
	AvatarUploadLimit     int64                 `json:"avatar_upload_limit"`
	BackgroundUploadLimit int64                 `json:"background_upload_limit"`
	BannerUploadLimit     int64                 `json:"banner_upload_limit"`
	BackgroundImage       string                `json:"background_image" schema:"url"`
	ChatLimit             int                   `json:"chat_limit"`
	DescriptionLimit      int                   `json:"description_limit"`
	VAPIDPublicKey        *string               `json:"vapid_public_key"`
	Svc                   InstanceSvc           `json:"svc"`

	Raw json.RawMessage `json:"-"`
}

// InstanceURLs says where streaming is: ws or wss, host and port, no path.
type InstanceURLs struct {
	StreamingAPI string `json:"streaming_api" schema:"filled"`
}

// InstanceStats counts local users, local statuses and known domains.
type InstanceStats struct {
	UserCount   int64 `json:"user_count"`
	StatusCount int64 `json:"status_count"`
	DomainCount int64 `json:"domain_count"`
}

// InstanceConfiguration is the limits in the form that newer clients read.
type InstanceConfiguration struct {
	Statuses         StatusConfiguration `json:"statuses"`
	MediaAttachments MediaConfiguration  `json:"media_attachments"`
	Polls            PollConfiguration   `json:"polls"`
}

// StatusConfiguration limits statuses.
type StatusConfiguration struct {
	MaxCharacters            int `json:"max_characters"`
	MaxMediaAttachments      int `json:"max_media_attachments"`
	CharactersReservedPerURL int `json:"characters_reserved_per_url"`
}

// MediaConfiguration limits uploads.
type MediaConfiguration struct {
	SupportedMimeTypes  List[string] `json:"supported_mime_types" schema:"filled"`
	ImageSizeLimit      int64        `json:"image_size_limit"`
	ImageMatrixLimit    int64        `json:"image_matrix_limit"`
	VideoSizeLimit      int64        `json:"video_size_limit"`
	VideoFrameRateLimit int64        `json:"video_frame_rate_limit"`
	VideoMatrixLimit    int64        `json:"video_matrix_limit"`
}

// PollConfiguration limits polls.
type PollConfiguration struct {
	MaxOptions             int   `json:"max_options"`
	MaxCharactersPerOption int   `json:"max_characters_per_option"`
	MinExpiration          int64 `json:"min_expiration"`
	MaxExpiration          int64 `json:"max_expiration"`
}

// PollLimits limits polls, in the service's own names.
type PollLimits struct {
	MaxOptions     int   `json:"max_options"`
	MaxOptionChars int   `json:"max_option_chars"`
	MinExpiration  int64 `json:"min_expiration"`
	MaxExpiration  int64 `json:"max_expiration"`
}

// InstanceSvc is the service's part of the instance.
type InstanceSvc struct {
	Metadata       InstanceMetadata `json:"metadata"`
	VAPIDPublicKey *string          `json:"vapid_public_key"`
}

// InstanceMetadata describes the abilities of the service.
type InstanceMetadata struct {
	AccountActivationRequired bool           `json:"account_activation_required"`
	Features                  List[string]   `json:"features" schema:"filled,named"`
	Federation                FederationInfo `json:"federation"`
	FieldsLimits              FieldsLimits   `json:"fields_limits"`
	PostFormats               List[string]   `json:"post_formats" schema:"filled"`
}

// FederationInfo has the restrictions of federation. All fields but Enabled are
// left out if the restrictions are private. The settings of a policy are
// present if it is among MRFPolicies.
type FederationInfo struct {
	Enabled              bool                    `json:"enabled"`
	Exclusions           *bool                   `json:"exclusions,omitempty"`
	MRFPolicies          List[string]            `json:"mrf_policies,omitzero" schema:"filled"`
	MRFSimple            map[string]List[string] `json:"mrf_simple,omitzero"`
	QuarantinedInstances List[string]            `json:"quarantined_instances,omitzero" schema:"filled"`
	MRFHellthread        *MRFHellthread          `json:"mrf_hellthread,omitempty"`
	MRFKeyword           *MRFKeyword             `json:"mrf_keyword,omitempty"`
	MRFObjectAge         *MRFObjectAge           `json:"mrf_object_age,omitempty"`
	MRFRejectNonPublic   *MRFRejectNonPublic     `json:"mrf_rejectnonpublic,omitempty"`
	MRFVocabulary        *MRFVocabulary          `json:"mrf_vocabulary,omitempty"`
	MRFUserAllowlist     map[string]int          `json:"mrf_user_allowlist,omitzero"` // how many accounts, by host
}

// MRFHellthread is how many recipients are too many; 0 is none.
type MRFHellthread struct {
	DelistThreshold int `json:"delist_threshold"`
	RejectThreshold int `json:"reject_threshold"`
}

// MRFKeyword is words, or patterns such as ~r/word/i.
type MRFKeyword struct {
	Reject                   List[string]         `json:"reject"`
	FederatedTimelineRemoval List[string]         `json:"federated_timeline_removal"`
	Replace                  List[MRFReplacement] `json:"replace"`
}

// MRFReplacement is a pattern and its replacement.
type MRFReplacement struct {
	Pattern     string `json:"pattern"`
	Replacement string `json:"replacement"`
}

// MRFObjectAge names the actions on statuses older than Threshold, in seconds.
type MRFObjectAge struct {
	Threshold int64        `json:"threshold"`
	Actions   List[string] `json:"actions"` // delist, strip_followers, reject
}

// MRFRejectNonPublic is which posts are taken that not everybody may read.
type MRFRejectNonPublic struct {
	AllowFollowersOnly bool `json:"allow_followersonly"`
	AllowDirect        bool `json:"allow_direct"`
}

// MRFVocabulary is types of activities.
type MRFVocabulary struct {
	Accept List[string] `json:"accept"`
	Reject List[string] `json:"reject"`
}

// FieldsLimits limits the fields of profiles; lengths are in characters.
type FieldsLimits struct {
	MaxFields       int `json:"max_fields"`
	MaxRemoteFields int `json:"max_remote_fields"`
	NameLength      int `json:"name_length"`
	ValueLength     int `json:"value_length"`
}

// HostMeta is the answer of /.well-known/host-meta.json.
type HostMeta struct {
	Links List[HostMetaLink] `json:"links"`
}

// HostMetaLink says where something is, with {uri} for what is asked for.
type HostMetaLink struct {
	Rel      string `json:"rel"`
	Type     string `json:"type"`
	Template string `json:"template"`
}

// NodeInfoLinks is the answer of /.well-known/nodeinfo.
type NodeInfoLinks struct {
	Links List[NodeInfoLink] `json:"links"`
}

// NodeInfoLink names a schema and the document in it.
type NodeInfoLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// NodeInfo describes the server to other servers and crawlers. Shape: nodeinfo
// 2.0 and 2.1; Software.Repository is in 2.1 alone.
type NodeInfo struct {
	Version           string           `json:"version" schema:"filled"`
	Software          NodeInfoSoftware `json:"software"`
	Protocols         List[string]     `json:"protocols" schema:"filled"`
	Services          NodeInfoServices `json:"services"`
	OpenRegistrations bool             `json:"openRegistrations"`
	Usage             NodeInfoUsage    `json:"usage"`
	Metadata          NodeInfoMetadata `json:"metadata"`
}

// NodeInfoSoftware names the server program.
type NodeInfoSoftware struct {
	Name       string `json:"name" schema:"filled"`
	Version    string `json:"version" schema:"filled"`
	Repository string `json:"repository,omitempty" schema:"filled"`
}

// NodeInfoServices lists foreign networks, none.
type NodeInfoServices struct {
	Inbound  List[string] `json:"inbound"`
	Outbound List[string] `json:"outbound"`
}

// NodeInfoUsage counts users and local statuses.
type NodeInfoUsage struct {
	Users      NodeInfoUsers `json:"users"`
	LocalPosts int64         `json:"localPosts"`
}

// NodeInfoUsers counts users.
type NodeInfoUsers struct {
	Total int64 `json:"total"`
}

// NodeInfoMetadata is the free part of NodeInfo.
type NodeInfoMetadata struct {
	NodeName                  string               `json:"nodeName"`
	NodeDescription           string               `json:"nodeDescription"`
	Private                   bool                 `json:"private"`
	Suggestions               NodeInfoSuggestions  `json:"suggestions"`
	StaffAccounts             List[string]         `json:"staffAccounts" schema:"filled"` // ActivityPub ids
	Federation                FederationInfo       `json:"federation"`
	PollLimits                PollLimits           `json:"pollLimits"`
	PostFormats               List[string]         `json:"postFormats" schema:"filled"`
	UploadLimits              NodeInfoUploadLimits `json:"uploadLimits"`
	FieldsLimits              NodeInfoFieldsLimits `json:"fieldsLimits"`
	AccountActivationRequired bool                 `json:"accountActivationRequired"`
	InvitesEnabled            bool                 `json:"invitesEnabled"`
	MailerEnabled             bool                 `json:"mailerEnabled"`
	Features                  List[string]         `json:"features" schema:"filled,named"`
	RestrictedNicknames       List[string]         `json:"restrictedNicknames"`
	SkipThreadContainment     bool                 `json:"skipThreadContainment"`
	Upstream                  NodeInfoUpstream     `json:"upstream"`
}

// NodeInfoSuggestions says that there are none.
type NodeInfoSuggestions struct {
	Enabled bool `json:"enabled"`
}

// NodeInfoUploadLimits is in bytes.
type NodeInfoUploadLimits struct {
	General    int64 `json:"general"`
	Avatar     int64 `json:"avatar"`
	Banner     int64 `json:"banner"`
	Background int64 `json:"background"`
}

// NodeInfoFieldsLimits is FieldsLimits in nodeinfo's spelling.
type NodeInfoFieldsLimits struct {
	MaxFields       int `json:"maxFields"`
	MaxRemoteFields int `json:"maxRemoteFields"`
	NameLength      int `json:"nameLength"`
	ValueLength     int `json:"valueLength"`
}

// NodeInfoUpstream names the API spoken, for clients that do not know the
// software.
type NodeInfoUpstream struct {
	Name string `json:"name" schema:"enum=mastodon"`
}

// UnmarshalJSON decodes an instance without keeping the contact's bytes.
func (i *Instance) UnmarshalJSON(data []byte) error {
	type plain Instance
	if err := json.Unmarshal(data, (*plain)(i)); err != nil {
		return err
	}
	if i.ContactAccount != nil {
		i.ContactAccount.Raw = nil
	}
	i.Raw = keep(data)
	return nil
}

// ActivityWeek counts the activity on the server in a week, which begins at
// Week, in Unix seconds. All are strings.
type ActivityWeek struct {
	Week          string `json:"week" schema:"filled"`
	Statuses      string `json:"statuses" schema:"filled"`
	Logins        string `json:"logins" schema:"filled"`
	Registrations string `json:"registrations" schema:"filled"`
}

// FederationStatus has the unreachable servers by host, and since when.
type FederationStatus struct {
	Unreachable map[string]Time `json:"unreachable"`
}

// Health is how the server is doing. Memory is in MiB; jobs are counted by
// queue and state.
type Health struct {
	PoolSize      int                         `json:"pool_size"`
	Active        int                         `json:"active"`
	Idle          int                         `json:"idle"`
	MemoryUsed    float64                     `json:"memory_used"`
	Healthy       bool                        `json:"healthy"`
	JobQueueStats map[string]map[string]int64 `json:"job_queue_stats"`
}

// FrontendConfigurations answers GET /api/svc/frontend_configurations: what each front end
// reads, by its name.
type FrontendConfigurations map[string]any

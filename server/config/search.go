package config

// The values of Instance.LimitToLocalContent: who searches what is known of
// other servers.
const (
	LimitAnonymous = ":unauthenticated" // the signed in
	LimitAll       = ":all"             // nobody
	LimitNobody    = "false"            // everybody
)

// SearchesLocal tells whether a caller finds only what is of this server.
func (s *Settings) SearchesLocal(signedIn bool) bool {
	limit := s.Instance.LimitToLocalContent
	return limit == LimitAll || limit == LimitAnonymous && !signedIn
}

func searchSettings() []Setting {
	return []Setting{{
		Group: ":svc", Key: ":instance", Path: []string{":limit_to_local_content"}, Kind: String, Default: LimitAnonymous,
		OneOf:       []string{LimitAnonymous, LimitAll, LimitNobody},
		Description: "Who finds only what is of this server: the unauthenticated, all, or with false nobody",
		field:       func(s *Settings) any { return &s.Instance.LimitToLocalContent },
	}}
}

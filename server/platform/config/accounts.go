package config

import (
	"slices"
	"strings"
	"time"
)

// routeWords are nicknames that would shadow a route.
var routeWords = strings.Fields(`.well-known ~ about activities api auth check_password dev friend-requests inbox
	internal main media nodeinfo notice oauth objects ostatus_subscribe proxy push registration relay settings status
	tag user-search user_exists users web verify_credentials update_credentials relationships search lookup familiar_followers
	confirmation_resend mfa svc`)

func accountSettings() []Setting {
	return []Setting{
		row(":auth", ":enforce_oauth_admin_scope_usage", Boolean, true, func(s *Settings) any { return &s.Auth.EnforceOAuthAdminScopeUsage },
			"Whether admin endpoints take admin scopes only (admin:read), or the plain ones too (read)"),
		row(":admin_token", "", String, "", func(s *Settings) any { return &s.Auth.AdminToken },
			"Secret that opens the admin API to whoever sends it as admin_token or X-Admin-Token").unset().secret(),
		row(":oauth2", ":token_expires_in", Seconds, 3153600000*time.Second, func(s *Settings) any { return &s.OAuth.TokenExpiresIn },
			"How long a token works, in seconds").between(1, 3153600000),
		row(":oauth2", ":clean_expired_tokens", Boolean, false, func(s *Settings) any { return &s.OAuth.CleanExpiredTokens },
			"Whether tokens are removed when they expire; they cannot be refreshed then"),
		row(":oauth2", ":issue_new_refresh_token", Boolean, true, func(s *Settings) any { return &s.OAuth.IssueNewRefreshToken },
			"Whether refreshing keeps the old refresh token"),
		row("Svc.User", ":restricted_nicknames", Strings, slices.Clone(routeWords), func(s *Settings) any { return &s.User.RestrictedNicknames },
			"Nicknames that nobody may register"),
		row("Svc.User", ":email_blacklist", Strings, []string{}, func(s *Settings) any { return &s.User.EmailBlacklist },
			"Mail domains that nobody may register with"),
		row(":user", ":deny_follow_blocked", Boolean, true, func(s *Settings) any { return &s.User.DenyFollowBlocked },
			"Whether a blocked account is kept from following its blocker"),
	}
}

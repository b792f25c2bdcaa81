// Package client speaks the service's HTTP API: a typed method per endpoint, a
// service per noun (c.Accounts, c.Statuses, c.Admin.Reports), in the shapes of
// package client/api. It depends on nothing else of the service and works
// against any server that speaks the same API.
//
//	c, err := client.New("https://social.example", client.WithToken(token))
//	if err != nil {
//		return err
//	}
//	for status, err := range c.Timelines.Home(api.TimelineQuery{}).All(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(status.Account.Acct, status.Content)
//	}
//
// # Calls
//
// Every call takes a context and ends within the client's timeout per attempt.
// Reads, and writes that may be repeated without harm, are retried; see
// WithRetries and IdempotencyKey. Do calls endpoints that have no method here.
//
// # Lists
//
// A list that comes in pages is a Listing: Page reads one page, with the pages
// around it, and All walks through all of them, fetching as it is read. In
// queries a zero field is one that was not given. Lists that come whole are
// slices.
//
// # Errors
//
// A refusal is an *Error, with the status and message of the answer; a missing or
// broken answer is a *TransportError. ErrNotFound and the other kinds are for
// errors.Is, ItemErrors names the refused items of a change of many, and
// MayHaveHappened says that a write without an answer may have taken effect.
//
// # Safety
//
// WithReadOnly refuses writes, WithPreview shows them in place of sending them,
// WithGuard sees each request before it leaves. The token goes only to the server
// that the client was made for. Storing tokens and signing people in is left to
// client/login.
//
// # Nouns and their methods
//
//	c.Accounts           Block ByID Captcha FamiliarFollowers Favourites Follow Followers
//	                     Following Get ImportBlocks ImportFollows ImportMutes Lists Lookup
//	                     Mute Note Preferences Register Relationships RemoveFollower
//	                     RequestPasswordReset ResendConfirmation
//	                     Scrobble Scrobbles Search SetNotificationSettings SetPictures
//	                     SetWebSettings Statuses Subscribe Unblock Unfollow Unmute
//	                     Unsubscribe UpdateCredentials UserInfo Verify
//	c.Announcements      Dismiss List React Unreact
//	c.Apps               Create Verify
//	c.Backups            List Start
//	c.Blocks             List
//	c.Chats              Delete Get List Messages Open Read ReadMessage Send
//	c.Conversations      Delete Get List Read ReadAll SetRecipients Statuses
//	c.DomainBlocks       Block List Unblock
//	c.Emojis             Archive List Pack Packs Pictures
//	c.Filters            Create Delete Get List Update
//	c.FiltersV2          AddKeyword AddStatus Create Delete Get Keyword Keywords List
//	                     RemoveKeyword RemoveStatus Status Statuses Update UpdateKeyword
//	c.Instance           Activity DomainBlocks ExtendedDescription FederationStatus
//	                     FrontendConfigurations Get GetV2 Health HostMeta Languages
//	                     Manifest NodeInfo OEmbed Peers PrivacyPolicy Rules TermsOfService
//	                     WebFinger
//	c.Lists              Accounts Add Create Delete Get List Remove Update
//	c.Markers            Get Set
//	c.Media              Delete Get Mascot SetMascot Update Upload UploadV2
//	c.Mutes              List
//	c.Notifications      Clear Destroy Dismiss Get List See SeeUpTo Unread
//	c.OAuth              AuthorizeURL Challenge ClientCredentials Code Password Refresh
//	                     Revoke Server Token
//	c.Polls              Get Vote
//	c.Push               Get Subscribe Unsubscribe Update
//	c.Reports            Create
//	c.ScheduledStatuses  Delete Get List Reschedule
//	c.Search             Find FindV1
//	c.SSHKeys            Add Delete List
//	c.Security           AddAlias Aliases BackupCodes CancelMove ChangeEmail ChangePassword
//	                     ConfirmTOTP DeleteAccount DeleteToken DisableAccount MFA
//	                     MoveAccount RemoveAlias RemoveTOTP SetUpTOTP Tokens
//	c.Statuses           Bookmark Bookmarks Card Context Delete Edit Favourite
//	                     FavouritedBy Favourites Get GetMany History MuteThread Pin Post
//	                     React Reactions ReactionsWith Reblog RebloggedBy Schedule Source
//	                     Unbookmark Unfavourite UnmuteThread Unpin Unreact Unreblog
//	c.Streams            Follow Listen
//	c.Tags               Follow Followed Get Unfollow
//	c.Timelines          Direct Home List Public Tag
//
// Admin has those that need an admin's token.
package client

package api

import "slices"

// Privilege names a part of the admin API that the setting
// ":instance :moderator_privileges" opens to moderators.
type Privilege string

// The privileges.
const (
	PrivilegeReports         Privilege = "reports"          // read reports, change their states, add and delete notes
	PrivilegeStatuses        Privilege = "statuses"         // read, change and delete statuses
	PrivilegeUsersRead       Privilege = "users_read"       // read accounts, mail addresses included, and their roles
	PrivilegeUsersActivation Privilege = "users_activation" // activate and deactivate accounts without a role
	PrivilegeApprovals       Privilege = "approvals"        // approve and reject sign-ups, block mail domains
	PrivilegeLog             Privilege = "log"              // read the moderation log
	PrivilegeInvites         Privilege = "invites"          // read, create, mail and revoke invites
	PrivilegeMedia           Privilege = "media"            // read and change the bans of remote files
)

// Privileges returns all privileges.
func Privileges() []Privilege {
	return []Privilege{
		PrivilegeReports, PrivilegeStatuses, PrivilegeUsersRead, PrivilegeUsersActivation, PrivilegeApprovals,
		PrivilegeLog, PrivilegeInvites, PrivilegeMedia,
	}
}

// May reports whether the account of verify_credentials may use a part of the
// admin API; other names than those of Privileges are for admins alone. Servers
// that do not say who is an admin are taken to allow all, and refuse by
// themselves.
func (a *Account) May(p Privilege) bool {
	return a.Svc.IsAdmin == nil || *a.Svc.IsAdmin || slices.Contains(a.Svc.Privileges, p)
}

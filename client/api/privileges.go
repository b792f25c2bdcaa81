package api

// Privilege names a part of the admin API that the setting
// ":instance :moderator_privileges" opens to moderators.
type Privilege string

// The privileges.
const (
	PrivilegeReports         Privilege = "reports"          // read reports, change their states, add and delete notes
	PrivilegeStatuses        Privilege = "statuses"         // read, change and delete statuses
	PrivilegeUsersRead       Privilege = "users_read"       // read accounts, mail addresses included, and their roles
	PrivilegeUsersActivation Privilege = "users_activation" // activate and deactivate accounts without a role
	PrivilegeLog             Privilege = "log"              // read the moderation log
	PrivilegeInvites         Privilege = "invites"          // read, create, mail and revoke invites
	PrivilegeMedia           Privilege = "media"            // read and change the bans of remote files
)

// Privileges returns all privileges.
func Privileges() []Privilege {
	return []Privilege{
		PrivilegeReports, PrivilegeStatuses, PrivilegeUsersRead, PrivilegeUsersActivation,
		PrivilegeLog, PrivilegeInvites, PrivilegeMedia,
	}
}

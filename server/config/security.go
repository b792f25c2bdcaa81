package config

import (
	"strings"
	"time"
)

// securitySettings are the rows of second factors and backups.
func securitySettings() []Setting {
	row := func(path string, kind Kind, value any, least, most int64, field func(*MFA) any, description string) Setting {
		return Setting{
			Group: ":svc", Key: ":multi_factor_authentication", Path: strings.Fields(path), Kind: kind, Default: value, Min: least, Max: most,
			Description: description, field: func(s *Settings) any { return field(&s.MFA) },
		}
	}
	backup := func(path string, value int, field func(*Backup) any, description string) Setting {
		return Setting{
			Group: ":svc", Key: "Svc.User.Backup", Path: strings.Fields(path), Kind: Integer, Default: value, Max: 3650,
			Description: description, field: func(s *Settings) any { return field(&s.Backup) },
		}
	}
	return []Setting{
		backup(":limit_days", 7, func(b *Backup) any { return &b.LimitDays }, "Days from one archive of a person to the next"),
		backup(":purge_after_days", 30, func(b *Backup) any { return &b.PurgeAfterDays }, "Days that an archive is kept"),
		row(":totp :digits", Integer, 6, 6, 8, func(m *MFA) any { return &m.TOTPDigits }, "Digits of a one-time code"),
		row(":totp :period", Seconds, 30*time.Second, 15, 300, func(m *MFA) any { return &m.TOTPPeriod }, "How long a one-time code counts, in seconds"),
		row(":backup_codes :number", Integer, 5, 1, 50, func(m *MFA) any { return &m.BackupCodes }, "How many backup codes there are"),
		row(":backup_codes :length", Integer, 16, 8, 64, func(m *MFA) any { return &m.BackupCodeLength }, "Characters of a backup code"),
	}
}

package config

import "time"

// securitySettings are the rows of second factors, backups and strictness.
func securitySettings() []Setting {
	mfa := func(path string, kind Kind, value any, least, most int64, field func(*MFA) any, description string) Setting {
		path = ":multi_factor_authentication " + path
		return row(":instance", path, kind, value, func(s *Settings) any { return field(&s.MFA) }, description).between(least, most)
	}
	backup := func(path string, value int, field func(*Backup) any, description string) Setting {
		return row("Svc.User.Backup", path, Integer, value, func(s *Settings) any { return field(&s.Backup) }, description).between(0, 3650)
	}
	return []Setting{
		backup(":limit_days", 7, func(b *Backup) any { return &b.LimitDays }, "Days from one archive of a person to the next"),
		backup(":purge_after_days", 30, func(b *Backup) any { return &b.PurgeAfterDays }, "Days that an archive is kept"),
		row("Svc.User.Backup", ":dir", String, "", func(s *Settings) any { return &s.Backup.Dir },
			"Folder that archives are made in before they are stored, from the data folder; null is the usual one").null("").locked(),
		row("Svc.Web.ApiSpec.CastAndValidate", ":strict", Boolean, false, func(s *Settings) any { return &s.StrictQueries },
			"Whether unknown parameters of the query are refused, by endpoints that read parameters or fields: "+
				"not by the admin API's that take whatever comes, nor by log-in and pages"),
		mfa(":totp :digits", Integer, 6, 6, 8, func(m *MFA) any { return &m.TOTPDigits }, "Digits of a one-time code"),
		mfa(":totp :period", Seconds, 30*time.Second, 15, 300, func(m *MFA) any { return &m.TOTPPeriod }, "How long a one-time code counts, in seconds"),
		mfa(":backup_codes :number", Integer, 5, 1, 50, func(m *MFA) any { return &m.BackupCodes }, "How many backup codes there are"),
		mfa(":backup_codes :length", Integer, 16, 8, 64, func(m *MFA) any { return &m.BackupCodeLength }, "Characters of a backup code"),
	}
}

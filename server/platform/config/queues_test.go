package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func TestSchedulesNameTimes(t *testing.T) {
	const layout = "2006-01-02 15:04 Mon"
	from := time.Date(2024, 2, 28, 23, 59, 30, 0, time.UTC) // a Wednesday of a leap year
	for text, want := range map[string][]string{
		"0 0 * * *":            {"2024-02-29 00:00 Thu", "2024-03-01 00:00 Fri"},
		"@daily":               {"2024-02-29 00:00 Thu", "2024-03-01 00:00 Fri"},
		"0 0 * * 0":            {"2024-03-03 00:00 Sun", "2024-03-10 00:00 Sun"},
		"0 0 * * 7":            {"2024-03-03 00:00 Sun", "2024-03-10 00:00 Sun"},
		"*/20 6-7 * * *":       {"2024-02-29 06:00 Thu", "2024-02-29 06:20 Thu", "2024-02-29 06:40 Thu", "2024-02-29 07:00 Thu"},
		"30 4 1,15 * 5":        {"2024-03-01 04:30 Fri", "2024-03-08 04:30 Fri", "2024-03-15 04:30 Fri"},
		"0 12 29 2 *":          {"2024-02-29 12:00 Thu", "2028-02-29 12:00 Tue"},
		"5/25 0 * jan mon-tue": {"2025-01-06 00:05 Mon", "2025-01-06 00:30 Mon", "2025-01-06 00:55 Mon", "2025-01-07 00:05 Tue"},
		"@yearly":              {"2025-01-01 00:00 Wed"},
	} {
		s, ok := ParseSchedule(text)
		if !ok {
			t.Errorf("%s is not read", text)
			continue
		}
		var got []string
		at := from
		for range want {
			at = s.Next(at)
			got = append(got, at.Format(layout))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{"", "0 0 * *", "60 0 * * *", "0 24 * * *", "0 0 0 * *", "0 0 * 13 *", "0 0 * * 8", "a 0 * * *", "5-1 0 * * *", "*/0 0 * * *", "0 0 30 2 *", "@never", "0 0 * * * *", ",", "-1 0 * * *"} {
		if s, ok := ParseSchedule(text); ok {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
}

func TestTheCrontabMustBeReadable(t *testing.T) {
	for value, sound := range map[string]bool{
		`[{"tuple":["*/5 * * * *","Svc.Workers.Cron.NewUsersDigestWorker"]}]`: true,
		`[]`: true,
		`[{"tuple":["soon","Svc.Workers.Cron.NewUsersDigestWorker"]}]`: false,
		`[{"tuple":["0 0 * * *"]}]`:                                    false,
		`["0 0 * * *"]`:                                                false,
		`5`:                                                            false,
	} {
		wrong := Check(":svc", "Oban", term.Keyword(term.Entry(":crontab", read(t, value))))
		if (len(wrong) == 0) != sound {
			t.Errorf("%s: %v", value, wrong)
		}
	}
}

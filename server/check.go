package server

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/rules/auth"
	"svc/server/rules/social"
)

// CheckReport is the result of svcd check.
type CheckReport struct {
	Directory CheckedDirectory `json:"directory"`
	Areas     []CheckedArea    `json:"areas"`
}

// CheckedDirectory says what became of a search in the directory of users.
type CheckedDirectory struct {
	Result string `json:"result"`
	Failed bool   `json:"failed"`
}

// CheckedArea has the findings of one area of the database.
type CheckedArea struct {
	Area     string       `json:"area"`
	Found    int          `json:"found"`
	Repaired int          `json:"repaired"`
	Findings []db.Finding `json:"findings"` // the first of them
	// Unfinished says that the time was over, and that the next check goes on there.
	Unfinished bool `json:"unfinished,omitempty"`
}

const (
	// mostFindings bounds the findings of an area that are printed, and kept in
	// memory.
	mostFindings = 100
	// checkPasses bounds the passes of a repair: what one mends may uncover more.
	checkPasses = 5
	// homeTime bounds one pass over home timelines, which are more than all else.
	homeTime = time.Minute
)

// Check checks the directory of users, the database and the files. With repair it
// goes over all as long as it mends something, so that one call is enough.
func Check(ctx context.Context, settings *config.Settings, d *db.DB, files *media.Stores, repair bool) (*CheckReport, error) {
	report := &CheckReport{Directory: probeDirectory(ctx, settings)}
	for _, area := range db.CheckAreas() {
		report.Areas = append(report.Areas, CheckedArea{Area: area, Findings: []db.Finding{}})
	}
	began, err := d.CheckPlace(ctx)
	if err != nil {
		return nil, err
	}
	for range checkPasses {
		place := &db.CheckPlace{After: maps.Clone(began.After)}
		mended, err := checkAll(ctx, settings, report, d, files, repair, place)
		if err != nil {
			return report, err
		}
		if !mended {
			if len(place.After) == 0 && len(began.After) == 0 {
				return report, nil
			}
			return report, d.SaveCheckPlace(ctx, place)
		}
	}
	return report, nil
}

// checkAll is one pass of Check. What it mends is added to the report; what it leaves
// replaces what the pass before left.
func checkAll(ctx context.Context, settings *config.Settings, report *CheckReport, d *db.DB, files *media.Stores, repair bool, place *db.CheckPlace) (mended bool, err error) {
	for i := range report.Areas {
		a := &report.Areas[i]
		before := a.Repaired
		a.Found, a.Findings = a.Repaired, repaired(a.Findings)
		take := func(f db.Finding) error {
			if a.Found++; f.Repaired {
				a.Repaired++
			}
			if len(a.Findings) < mostFindings {
				a.Findings = append(a.Findings, f)
			}
			return nil
		}
		o := CheckRules(settings)
		o.Repair, o.Areas, o.HomeTime, o.HomePlace = repair, []string{a.Area}, homeTime, place
		err := d.Check(ctx, o, take)
		if err == nil && a.Area == db.CheckFiles {
			err = files.Check(ctx, repair, take)
		}
		if err != nil {
			return false, err
		}
		a.Unfinished = a.Area == db.CheckHome && place.Unfinished
		mended = mended || a.Repaired > before
	}
	return mended, nil
}

// CheckRules are the options of a check that follow from the settings.
func CheckRules(settings *config.Settings) db.CheckOptions {
	return db.CheckOptions{Text: social.Searchable, FollowsOfBlocked: !settings.User.DenyFollowBlocked, FollowsToBlocked: !settings.ActivityPub.UnfollowBlocked}
}

func repaired(findings []db.Finding) []db.Finding {
	out := []db.Finding{}
	for _, f := range findings {
		if f.Repaired {
			out = append(out, f)
		}
	}
	return out
}

func probeDirectory(ctx context.Context, settings *config.Settings) CheckedDirectory {
	d := &settings.Directory
	if !d.On() {
		return CheckedDirectory{Result: "not asked"}
	}
	if err := auth.ProbeDirectory(ctx, d); err != nil {
		return CheckedDirectory{Result: strings.Join(strings.Fields(err.Error()), " "), Failed: true}
	}
	return CheckedDirectory{Result: fmt.Sprintf("%s answers at port %d", d.Host, d.Port)}
}

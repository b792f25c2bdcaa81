package moderation

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"svc/db"
	"svc/server/platform/fault"
)

// The bounds of rules.
const (
	maxRules    = 100
	maxRuleText = 1000
	maxRuleHint = 2000
	// loggedText is how many characters of a text an entry of the log has.
	loggedText = 100
)

// ChangedRule is a new rule, or the fields of one that change; nil keeps one.
type ChangedRule struct {
	Text, Hint *string
	Priority   *int64
	// IdempotencyKey makes a repeated creation return the first rule. It must be unique
	// to the caller.
	IdempotencyKey string
}

// apply changes a rule, or refuses all fields that are wrong.
func (in *ChangedRule) apply(r *db.Rule) error {
	var wrong []fault.Field
	set := func(name string, to *string, from *string, most int) {
		if from == nil {
			return
		}
		*to = strings.TrimSpace(*from)
		if utf8.RuneCountInString(*to) > most {
			wrong = append(wrong, fault.Field{Name: name, Message: fmt.Sprintf("must be up to %d characters", most)})
		}
	}
	set("text", &r.Text, in.Text, maxRuleText)
	set("hint", &r.Hint, in.Hint, maxRuleHint)
	if r.Text == "" {
		wrong = append(wrong, fault.Field{Name: "text", Message: "can't be blank"})
	}
	if in.Priority != nil {
		if r.Priority = *in.Priority; r.Priority < math.MinInt32 || r.Priority > math.MaxInt32 {
			wrong = append(wrong, fault.Field{Name: "priority", Message: "must be a number of 32 bits"})
		}
	}
	if len(wrong) > 0 {
		return fault.Invalid("", wrong...)
	}
	return nil
}

// CreateRule adds a rule of the house, and logs it.
func (s *Service) CreateRule(ctx context.Context, by *db.Account, in ChangedRule) (*db.Rule, error) {
	return db.Once(ctx, s.db, "rule", in.IdempotencyKey, func(claim db.Claim[int64]) (*db.Rule, error) {
		r := &db.Rule{}
		if err := s.rights.Check(by, RuleCreated.right); err != nil {
			return nil, err
		}
		if err := in.apply(r); err != nil {
			return nil, err
		}
		err := s.changeRules(ctx, by, RuleCreated, func(tx *db.DB) (*db.Rule, error) {
			all, err := tx.Rules(ctx)
			if err != nil {
				return nil, err
			}
			if len(all) >= maxRules {
				return nil, fault.Invalidf("There are %d rules already, the most there may be", maxRules)
			}
			if err := tx.CreateRule(ctx, r); err != nil {
				return nil, err
			}
			return r, claim(ctx, tx, r.ID)
		})
		return r, err
	}, func(id int64) (*db.Rule, error) { return s.db.Rule(ctx, id) })
}

// UpdateRule changes a rule, and logs it. An unknown one is db.ErrNotFound.
func (s *Service) UpdateRule(ctx context.Context, by *db.Account, id int64, in ChangedRule) (r *db.Rule, err error) {
	err = s.changeRules(ctx, by, RuleUpdated, func(tx *db.DB) (*db.Rule, error) {
		if r, err = tx.Rule(ctx, id); err != nil {
			return nil, err
		}
		if err := in.apply(r); err != nil {
			return nil, err
		}
		return r, tx.UpdateRule(ctx, r)
	})
	return r, err
}

// DeleteRule removes a rule, and logs it. Reports that name it keep its text.
func (s *Service) DeleteRule(ctx context.Context, by *db.Account, id int64) error {
	return s.changeRules(ctx, by, RuleDeleted, func(tx *db.DB) (*db.Rule, error) {
		r, err := tx.Rule(ctx, id)
		if err != nil {
			return nil, err
		}
		return r, tx.DeleteRule(ctx, id)
	})
}

// changeRules makes one change of the rules, and logs the rule that it returns.
func (s *Service) changeRules(ctx context.Context, by *db.Account, action *Action, change func(tx *db.DB) (*db.Rule, error)) error {
	if err := s.rights.Check(by, action.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldRules(ctx); err != nil {
			return err
		}
		if err := s.rights.Hold(ctx, tx, by, action.right); err != nil {
			return err
		}
		r, err := change(tx)
		if err != nil {
			return err
		}
		return s.Log(ctx, tx, by, action, Data{Number: r.ID, Text: r.Text})
	})
}

// cutForLog returns the beginning of a text, on one line.
func cutForLog(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > loggedText {
		return string(r[:loggedText-1]) + "…"
	}
	return s
}

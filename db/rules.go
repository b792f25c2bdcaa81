package db

import (
	"context"
	"fmt"
)

// RulesChanged is the topic of the rules of the house.
const RulesChanged = "rules"

// Rule is a rule of the house.
type Rule struct {
	ID        int64 `gorm:"primaryKey;autoIncrement"`
	Text      string
	Hint      string
	Priority  int64
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// Rules returns all rules by priority, then id. The operations keep them few.
func (d *DB) Rules(ctx context.Context) ([]Rule, error) {
	return list[Rule](ctx, d, "rules", "SELECT * FROM rules ORDER BY priority, id")
}

// Rule returns a rule.
func (d *DB) Rule(ctx context.Context, id int64) (*Rule, error) {
	return one[Rule](ctx, d, fmt.Sprintf("rule %d", id), "SELECT * FROM rules WHERE id = ?", id)
}

// HoldRules keeps others from changing rules until the transaction ends.
func (d *DB) HoldRules(ctx context.Context) error { return d.HoldURIs(ctx, "rules") }

// CreateRule inserts r and sets its id.
func (d *DB) CreateRule(ctx context.Context, r *Rule) error {
	r.CreatedAt = d.Now()
	id, err := value[int64](ctx, d.writing(), "create rule", "INSERT INTO rules (text, hint, priority, created_at) VALUES (?, ?, ?, ?) RETURNING id",
		r.Text, r.Hint, r.Priority, r.CreatedAt)
	if err != nil {
		return err
	}
	r.ID = id
	return d.Announce(ctx, RulesChanged, "")
}

// UpdateRule stores the text, hint and priority of r.
func (d *DB) UpdateRule(ctx context.Context, r *Rule) error {
	n, err := d.exec(ctx, "update rule", "UPDATE rules SET text = ?, hint = ?, priority = ? WHERE id = ?", r.Text, r.Hint, r.Priority, r.ID)
	if err == nil && n == 0 {
		err = notFound("rule %d", r.ID)
	}
	if err != nil {
		return err
	}
	return d.Announce(ctx, RulesChanged, "")
}

// DeleteRule removes a rule. Reports keep its text.
func (d *DB) DeleteRule(ctx context.Context, id int64) error {
	n, err := d.exec(ctx, "delete rule", "DELETE FROM rules WHERE id = ?", id)
	if err == nil && n == 0 {
		err = notFound("rule %d", id)
	}
	if err != nil {
		return err
	}
	return d.Announce(ctx, RulesChanged, "")
}

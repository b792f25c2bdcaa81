package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// rules shows the rules of the house, in the order in which people see them. n adds one,
// e changes the text of one, d removes one.
var rules = &Noun{
	Name: "rules", Help: "rules of the house",
	Columns: []Column{{Head: "ID", Width: 6}, {Head: "PRIORITY", Width: 8}, {Head: "RULE"}},
	Empty:   "no rules; {new} adds one",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(client.Whole(c.Admin.Rules.List), ruleRow)
	},
	Verbs: []Verb{
		{
			Key: "n", Name: "new", Help: "add a rule", New: true, Ask: "rule: ", Kind: action.RuleAdd, Check: saysRule,
			Made: func(_ Row, _ string, id safe.Safe) action.Result {
				return action.Result{Action: action.Action{Kind: action.RuleAdd, Target: "rule/" + id.String()}, Outcome: action.Changed}
			},
			Call: func(ctx context.Context, c *client.Client, _ Row, text string) (safe.Safe, error) {
				rule, err := c.Admin.Rules.Create(ctx, api.RuleForm{Text: &text})
				if err != nil {
					return safe.Safe{}, err
				}
				return raw(rule.ID), nil
			},
		},
		{
			Key: "e", Name: "edit", Help: "change the text of the rule", Ask: "rule: ", Kind: action.RuleEdit, Check: saysRule,
			Call: func(ctx context.Context, c *client.Client, row Row, text string) (safe.Safe, error) {
				_, err := c.Admin.Rules.Update(ctx, row.ID, api.RuleForm{Text: &text})
				return safe.Own("the rule is changed"), err
			},
		},
		{
			Key: "d", Name: "remove", Help: "remove the rule; reports that name it keep its text", Sure: true, Kind: action.RuleRemove,
			Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
				return safe.Own("the rule is removed"), c.Admin.Rules.Delete(ctx, row.ID)
			},
		},
	},
}

func saysRule(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("type the text of the rule")
	}
	return nil
}

func ruleRow(r api.AdminRule) Row {
	return Row{
		ID: r.ID, Target: "rule/" + r.ID, Copy: r.Text, More: details(Detail{"hint", raw(r.Hint)}),
		Cells: []safe.Safe{raw(r.ID), raw(fmt.Sprint(r.Priority)), raw(r.Text)},
	}
}

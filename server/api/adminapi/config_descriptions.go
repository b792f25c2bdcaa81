package adminapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/config"
)

// Descriptions is GET /config/descriptions, which answers also while
// settings are not kept in the database.
func (a Config) Descriptions(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	entries := config.Descriptions(a.Saved.Allows)
	out := make([]api.ConfigDescription, len(entries))
	for i, e := range entries {
		out[i] = api.ConfigDescription{
			Group: e.Group, Key: e.Key, Label: e.Label, Type: configType(e.Type), Description: e.Description,
			Tab: e.Tab, RelatedPolicy: e.RelatedPolicy, Children: configFields(e.Children),
		}
	}
	return web.OK(c, out)
}

func configFields(descriptions []config.Description) []api.ConfigField {
	if len(descriptions) == 0 {
		return nil
	}
	out := make([]api.ConfigField, len(descriptions))
	for i, d := range descriptions {
		out[i] = api.ConfigField{
			Key: d.Key, Label: d.Label, Type: configType(d.Type), Description: d.Description,
			Suggestions: d.Suggestions, Children: configFields(d.Children), Secret: d.Secret,
		}
		if d.Subgroup != "" {
			out[i].Group = []string{":subgroup", d.Subgroup}
		}
	}
	return out
}

func configType(t config.Type) api.ConfigType {
	out := api.ConfigType{Name: t.Name}
	for _, one := range t.Of {
		out.Of = append(out.Of, configType(one))
	}
	return out
}

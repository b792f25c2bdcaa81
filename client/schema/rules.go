package schema

// Rule is what a type needs beyond its fields.
type Rule struct {
	Also Object // every value fits this too
	Or   Object // a value may fit this instead
	Is   Object // the whole schema, of a type that encodes itself
}

var (
	null  = Object{"type": "null"}
	empty = Object{"type": "object", "maxProperties": 0}
	// deleted is the copy of a deleted status. Its account is a plain one, or {} if that is
	// gone too.
	deleted = Object{
		"type": "object", "required": []string{"account", "content", "created_at", "id", "svc", "uri", "visibility"},
		"properties": Object{"account": Object{"type": "object"}, "svc": Object{"type": "object", "required": []string{"deleted"}}},
	}
	required = func(names ...string) Object { return Object{"required": names} }
	anyOf    = func(all ...any) Object { return Object{"anyOf": all} }
	with     = func(name string, of Object) Object { return Object{"properties": Object{name: of}} }
	when     = func(word string, then Object) Object {
		return Object{"if": with("type", Object{"const": word}), "then": then}
	}
)

// Rules are those of package api, by the name of the type.
var Rules = map[string]Rule{
	"Status":        {Also: with("reblog", anyOf(null, with("reblog", null)))},
	"Quote":         {Also: anyOf(required("quoted_status"), required("quoted_status_id"))},
	"Notification":  {Also: notification()},
	"Outcome":       {Also: anyOf(required("status"), required("error"))},
	"Registration":  {Also: anyOf(required("access_token", "token_type", "scope", "created_at"), required("message", "identifier"))},
	"MergedAccount": {Or: empty}, // the account is gone
	"GroupedStatus": {Or: Object{"type": "object", "required": []string{"id", "deleted"}, "properties": Object{"id": Object{"type": "string"}, "deleted": Object{"const": true}}, "additionalProperties": false}},
	"ConfigType":    {Is: anyOf(Object{"type": "string"}, Object{"type": "array"})},
	"RoleChange":    {Also: anyOf(required("is_admin"), required("is_moderator"))},
}

// notification has the objects that a type of notification comes with.
func notification() Object {
	all := []any{when("move", Object{"required": []string{"target"}})}
	for _, word := range []string{"mention", "status", "reblog", "favourite", "poll", "update", "svc:emoji_reaction"} {
		all = append(all, when(word, with("status", Object{"type": "object"})))
	}
	return Object{"allOf": all}
}

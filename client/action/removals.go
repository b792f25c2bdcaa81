package action

import (
	"context"

	"svc/client"
)

// removal returns the rules for deleting objects that the API lists at path and
// deletes by name. An object that is not listed is not found. After a request,
// an object that is not listed any more counts as deleted, also if the answer
// was lost.
func removal[T any](
	path string, list func(*client.Client) client.Listing[T], name func(T) string, remove func(ctx context.Context, c *client.Client, name string) error,
) func(*Engine, Kind) kindRules {
	return func(e *Engine, _ Kind) kindRules {
		names := func(ctx context.Context) (map[string]bool, error) {
			listed := map[string]bool{}
			for object, err := range list(e.client).All(ctx) {
				if err != nil {
					return nil, err
				}
				listed[name(object)] = true
			}
			return listed, nil
		}
		before := once(names)
		return kindRules{
			read: func(ctx context.Context, it *item) error {
				listed, err := before(ctx)
				if err == nil && !listed[it.target.Name] {
					err = notFound(path)
				}
				it.now = map[string]string{it.target.Noun: "there"}
				return err
			},
			wish: func(a Action) map[string]string { return map[string]string{a.Kind.Noun(): "gone"} },
			landed: func(ctx context.Context, it *item) (bool, error) {
				listed, err := names(ctx)
				return err == nil && !listed[it.target.Name], err
			},
			send: func(ctx context.Context, items []*item) error { return remove(ctx, e.client, items[0].target.Name) },
		}
	}
}

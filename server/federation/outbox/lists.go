package outbox

import (
	"strconv"

	"svc/db"
)

// listURI returns the id of a list for other servers. It cannot be fetched,
// since list members are secret.
func listURI(owner *db.Account, id int64) string {
	return owner.URI + "/lists/" + strconv.FormatInt(id, 10)
}

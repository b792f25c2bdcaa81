package outbox

import (
	"strconv"

	"svc/db"
)

// listURI is what others know a list by: an id that leads nowhere, since nobody
// is told who is on it.
func listURI(owner *db.Account, id int64) string {
	return owner.URI + "/lists/" + strconv.FormatInt(id, 10)
}

package federation

import "svc/db"

// item is an activity in the queue.
type item struct{ row db.InboxItem }

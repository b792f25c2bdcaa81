package delivery

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
)

// waiting is a delivery about one object; behind is the one before it.
func waiting(id, behind int64, priority int) db.DueDelivery {
	return db.DueDelivery{Delivery: db.Delivery{ID: id, Inbox: "i", ObjectURI: "o", Priority: priority}, Behind: behind}
}

func TestDeliveriesAboutOneObjectStayInOrder(t *testing.T) {
	var h host
	// 1 was tried and waits: 2, which is more urgent, waits for it.
	behind := h.fill([]db.DueDelivery{waiting(2, 1, db.PriorityPerson)})
	if diff := cmp.Diff([]db.DeliveryPredecessor{{ID: 2, Of: 1}}, behind); diff != "" {
		t.Error(diff)
	}
	// That is not kept yet, and 2 is read once more, with the deliveries after it.
	behind = h.fill([]db.DueDelivery{waiting(2, 1, db.PriorityPerson), waiting(3, 2, db.PriorityPost)})
	if diff := cmp.Diff([]db.DeliveryPredecessor{{ID: 2, Of: 1}, {ID: 3, Of: 2}}, behind); diff != "" || len(h.queue) != 0 {
		t.Errorf("%d begin; %s", len(h.queue), diff)
	}
	// Once 1 is due all come, the most urgent first, and begin in their order.
	behind = h.fill([]db.DueDelivery{waiting(2, 1, db.PriorityPerson), waiting(1, 0, db.PriorityPost), waiting(3, 2, db.PriorityPost)})
	if w := h.ready(); len(behind) != 0 || w == nil || w.ID != 1 || h.ready() != nil {
		t.Errorf("begins %v, behind %v", w, behind)
	}
}

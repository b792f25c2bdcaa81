-- The last words in the chat room, among all events.
CREATE INDEX events_room ON events (seq) WHERE kind = 'room';

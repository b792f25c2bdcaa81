package api

// Backup is an archive of a user's data. URL is "" and FileSize 0 until it
// is processed; FileSize is in bytes.
type Backup struct {
	ID          int64  `json:"id"`
	ContentType string `json:"content_type" schema:"filled"`
	URL         string `json:"url"`
	FileSize    int64  `json:"file_size"`
	Processed   bool   `json:"processed"`
	InsertedAt  Time   `json:"inserted_at"`
}

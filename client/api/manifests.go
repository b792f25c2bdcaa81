package api

// Manifest is how a phone keeps the instance among its apps. Shape: W3C Web
// App Manifest.
type Manifest struct {
	Name            string           `json:"name"`
	ShortName       string           `json:"short_name"`
	Description     string           `json:"description"`
	Icons           []map[string]any `json:"icons"`
	ThemeColor      string           `json:"theme_color"`
	BackgroundColor string           `json:"background_color"`
	Display         string           `json:"display"`
	Scope           string           `json:"scope"`
	StartURL        string           `json:"start_url"`
	Categories      []string         `json:"categories"`
}

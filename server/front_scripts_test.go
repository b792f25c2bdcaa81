package server

import "testing"

func TestInlineScriptsAreNamedByTheirHashes(t *testing.T) {
	for page, want := range map[string]string{
		"<p>none</p>":                              "",
		"<script src=/app.js></script>":            "",
		"<script src=/app.js>alert(1)</script>":    "",
		"<script></script>":                        "",
		"<!-- <script>alert(1)</script> -->":       "",
		"<textarea><script>no</script></textarea>": "",
		// The example of the specification: https://www.w3.org/TR/CSP3/, section 8.4.
		`<script>alert('Hello, world.');</script>`:                              " 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='",
		"<SCRIPT type=module>\r\na()\r\n</script><p><script async>b()</script>": " 'sha256-x+0K41gpPfNZvjHhZ26OxEXtxRMEPkgtUEMZoFwk0HA=' 'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='",
	} {
		if got := inlineScripts(page); got != want {
			t.Errorf("%s:\n%s, want\n%s", page, got, want)
		}
	}
}

package main

import "testing"

func TestClientsAreToldAVersionOfNumbers(t *testing.T) {
	for said, want := range map[string]string{
		"(devel)": "0.0.0", "": "0.0.0", "v0.0.0-20261123004959-0123456789ab": "0.0.0", "v0.0.0-20261123004959-0123456789ab+dirty": "0.0.0",
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "v1.2.4-0.20261123004959-0123456789ab": "1.2.4-0.20261123004959-0123456789ab",
	} {
		if got := (build{Version: said}).release(); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

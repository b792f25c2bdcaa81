package text

import (
	"slices"
	"strings"
	"testing"
)

func TestOnlyFullyQualifiedEmojiCount(t *testing.T) {
	for s, want := range map[string]bool{
		"\u2764\ufe0f": true, "\u2764": false, "👍": true, "👍🏽": true, "😀": true, "☹\ufe0f": true, "☹": false,
		"😶\u200d🌫\ufe0f": true, "😶\u200d🌫": false, "#\ufe0f\u20e3": true, "#\u20e3": false, "#": false, "1": false,
		"🇩🇪": true, "🇩": true, "\U0001F1E6": true, "\U0001F1FF": true, "\U0001F1E5": false, "\U0001F200": false, "🇩🇩": false,
		"🏻": false, "👩\u200d❤\ufe0f\u200d👨": true, "👩🏻\u200d❤\ufe0f\u200d👨🏿": true, "🏳\ufe0f\u200d🌈": true, "🏳\u200d🌈": false,
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F": true, "🧑\u200d🎄": true,
		"\U0001FAE0": true, "\U0001FAAB": true, // of Unicode 14
		"\U0001FAE8": true, "\U0001FAE9": true, "\U0001F1E8\U0001F1F6": true, // of 15 and 16
		"\U0001FAEA": true, "\U0001FAC8": true, "\U0001F6D8": true, "\U0001F46F\U0001F3FB\u200d\u2640\ufe0f": true, // of 17
		"\U0001FADD": false, "\U0001F9B0": false, // of none, and a component
		"": false, "a": false, "👍👍": false, "👍\n👎": false, "\n": false, " 👍": false, "👍 ": false, "\xf0\x9f\x91": false, ":firefox:": false,
	} {
		if got := IsEmoji(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestEveryEmojiOfTheTableIsFound(t *testing.T) {
	all := strings.Fields(unicodeEmoji)
	if len(all) != 3944 || !slices.IsSorted(all) {
		t.Fatalf("%d emoji, sorted %v", len(all), slices.IsSorted(all))
	}
	for _, s := range all {
		if !IsEmoji(s) || IsEmoji(s+"x") || IsEmoji(s[:len(s)-1]) {
			t.Errorf("%q is not told from what is near it", s)
		}
	}
}

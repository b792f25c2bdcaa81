package text

import "strings"

// Language returns a possible language tag in the case that people write it in, such
// as de, pt-BR or zh-Hant-TW, else "". Tags that differ in case alone are one. Shape:
// RFC 5646, 2.1.1; underscores, which locales have, are read as hyphens.
func Language(tag string) string {
	tag = strings.ReplaceAll(tag, "_", "-")
	if len(tag) < 2 || len(tag) > 35 {
		return ""
	}
	parts := strings.Split(strings.ToLower(tag), "-")
	single := len(parts[0]) == 1
	for i, part := range parts {
		for j := range len(part) {
			if !isAlnum(part[j]) {
				return ""
			}
		}
		switch {
		case part == "":
			return ""
		case i == 0 || single:
		case len(part) == 1:
			single = true
		case len(part) == 2:
			parts[i] = strings.ToUpper(part)
		case len(part) == 4 && !isDigit(part[0]):
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "-")
}

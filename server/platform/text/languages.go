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

// codes are the languages of ISO 639-1.
const codes = " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy " +
	"ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv " +
	"mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw " +
	"ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "

// IsLanguage reports whether a code in lower case is a language of ISO 639-1.
func IsLanguage(code string) bool { return len(code) == 2 && strings.Contains(codes, " "+code+" ") }

package config

func emojiSettings() []Setting {
	return []Setting{
		row(":emoji", ":shortcode_globs", Strings, []string{"/emoji/custom/**/*.png"}, func(s *Settings) any { return &s.Emoji.ShortcodeGlobs },
			"Pictures that are custom emoji by their file names"),
		row(":emoji", ":pack_extensions", Strings, []string{".png", ".gif"}, func(s *Settings) any { return &s.Emoji.PackExtensions },
			"Endings of the emoji of a pack that lists none"),
		row(":emoji", ":groups", Groups, []Group{{Name: "Custom", Globs: []string{"/emoji/*.png", "/emoji/**/*.png"}}},
			func(s *Settings) any { return &s.Emoji.Groups }, "Groups that emoji are shown in, by their paths"),
		row(":frontend_configurations", "", Maps, map[string]any{"svc_fe": map[string]any{}, "masto_fe": map[string]any{}},
			func(s *Settings) any { return &s.FrontendConfigurations }, "Look of a front end: an object that the front end reads"),
	}
}

package demo

// A tongue has the names and texts of one language. Templates take a word for
// each {kind}.
type tongue struct {
	given, family []name
	familyFirst   bool
	bios          []string
	statements    []string
	replies       []string
	heckles       []string // hostile, said to somebody
	complaints    []string // comments of reports about heckles
	tags          []string
	warnings      []string
	words         map[string][]string
}

// A name as it is written, and in letters that a nickname may have.
type name struct{ written, latin string }

// languageMix has each language as often as it is spoken here.
var languageMix = []string{
	"en", "en", "en", "en", "en", "en", "en", "en", "de", "de", "de", "fr", "fr", "es", "es", "pt", "ja", "ja", "pl", "uk", "ar",
}

var tongues = map[string]tongue{
	"en": english, "de": german, "fr": french, "es": spanish, "pt": portuguese,
	"ja": japanese, "pl": polish, "uk": ukrainian, "ar": arabic,
}

var (
	flourishes     = []string{"🌻", "🦊", "🚲", "☕", "🎸", "(she/they)", "📷", "🌧️", "🐈‍⬛", "🏳️‍🌈", "✨🧵", "🦀"}
	pronouns       = []string{"she/her", "he/him", "they/them", "she/they", "any"}
	heckleNicks    = []string{"basedfrog", "realtalk", "truthsayer", "ironfist", "nomercy", "lolcow", "redline"}
	heckleBios     = []string{"I say what everybody thinks.", "Block me, coward.", "Just asking questions.", "No safe spaces.", ""}
	spamWords      = []string{"crypto", "profit", "invest", "lucky", "promo", "forex", "deals"}
	spamFlourishes = []string{"💰💰", "| Trading Coach", "🚀 DM me", "✅", "(verified)", "| 10x Mentor"}
	spamBios       = []string{
		"I turned 200 into 14,000 in nine days. Ask me how.",
		"Certified account manager. Fast payouts. Link below.",
		"Free giveaways every day!!! Follow and click.",
		"Your luck begins here 👉 https://bonus.fast-money.example/start",
	}
	botKinds = []struct{ nick, name, bio string }{
		{"tidewatch", "Tide Watch", "Tide times for the harbour, every hour. A bot."},
		{"trainlate", "Is the train late?", "Delays on the coast line. A bot, not the railway."},
		{"birdlog", "Bird Log", "Sightings from the feeder camera. A bot."},
		{"wordoftheday", "Word of the Day", "One word a day, and where it comes from. A bot."},
	}
)

var english = tongue{
	given: []name{
		{"Alice", "alice"}, {"Noah", "noah"}, {"Priya", "priya"}, {"Marcus", "marcus"}, {"Ingrid", "ingrid"}, {"Tomás", "tomas"},
		{"Leila", "leila"}, {"Owen", "owen"}, {"Fiona", "fiona"}, {"Desmond", "desmond"}, {"Kit", "kit"}, {"Harriet", "harriet"},
		{"Samir", "samir"}, {"Beth", "beth"}, {"Callum", "callum"}, {"Winnie", "winnie"}, {"Ezra", "ezra"}, {"Nadia", "nadia"},
	},
	family: []name{
		{"Hartley", "hartley"}, {"Osei", "osei"}, {"Bennett", "bennett"}, {"Quinn", "quinn"}, {"Marsh", "marsh"}, {"Patel", "patel"},
		{"Doyle", "doyle"}, {"Whitlock", "whitlock"}, {"Abara", "abara"}, {"Finch", "finch"}, {"Rowe", "rowe"}, {"Castellan", "castellan"},
	},
	bios: []string{
		"Gardener, mostly of weeds.", "Librarian. Opinions are overdue.", "Teaches physics, burns toast.", "Nurse on nights. Be kind.",
		"Writes small programs for small problems.", "Maps, trains, soup.", "Dad of two. Bad puns free of charge.",
		"Painter of skies. Commissions open.", "Retired and learning the cello.", "Here for the dogs.", "",
	},
	statements: []string{
		"The {thing} on the windowsill has finally {grown}.",
		"Does anybody here know how to mend a {thing}? Mine {broke} this morning.",
		"Small joy of the day: {joy}.",
		"Walked to {place} before breakfast. Nobody there but me and {animal}.",
		"Unpopular opinion: {food} is better {how}.",
		"I have been {doing} for three hours and I regret nothing.",
		"Reading a book about {topic} and I keep telling everybody about it. Now you.",
		"Our neighbour's {animal} has learnt to open the gate. We are all in its power.",
		"If you are near {place} tonight: the {event} is free, and they need hands for the chairs.",
		"Finished the {thing}. It is crooked and it is mine.",
		"Today's mistake: {doing} without checking the weather.",
		"Reminder that the {event} moved to Thursday. Bring {food}.",
		"What is the first {thing} you ever bought with your own money?",
		"Three things from {place}: {animal}, {food}, and a very long queue.",
		"Spent the evening {doing}. The {thing} won.",
		"New blog post: what {topic} taught me about patience.",
		"The radio is doing a whole hour on {topic}. I am not getting off this bus.",
		"Does {food} freeze well? Asking before I make four litres of it.",
		"My {thing} and I have reached an understanding: it works when it wants.",
		"Saw {animal} at {place}. It looked at me as if I owed it money.",
		"Looking for people who like {topic} and hate meetings.",
		"Rain again. {joy}, though.",
	},
	replies: []string{
		"Oh, I felt that.", "Try it with {food}. Trust me.", "Same here, every single week.", "This made my morning, thank you.",
		"Not sure I agree, but I like how you put it.", "Could you post a picture of the {thing}?", "We had {animal} do exactly that.",
		"I can bring {food} on Thursday.", "Is that near {place}?", "Please never stop {doing}.", "Saving this for later.",
		"My grandmother swore by {food} for that.", "How long did it take?", "I looked it up: it really is about {topic}.", "Congratulations!",
		"That is the most {place} thing I have read today.",
	},
	heckles: []string{
		"Nobody asked you. Delete your account.", "Imagine being this stupid in public.", "You people ruin everything you touch.",
		"We know where you hang out. Watch yourself.", "Go back to wherever you crawled out of.", "Pathetic. Everyone is laughing at you.",
		"You should be ashamed to show your face.", "Clown. Block me, it proves my point.", "Shut up and take the criticism.",
	},
	complaints: []string{
		"This person keeps insulting people in replies.", "Targeted harassment, see the attached posts.", "Threatening me after I asked them to stop.",
		"Hostile to everybody who disagrees. Third time this week.", "They were told to leave me alone and did not.",
	},
	tags:     []string{"gardening", "bread", "caturday", "photography", "cycling", "bookclub", "birds", "knitting", "retrocomputing", "music", "trains", "silentsunday"},
	warnings: []string{"food", "health", "work rant", "politics", "spoilers for last night", "spiders", "long"},
	words: map[string][]string{
		"n":      {"1", "2", "3", "4", "5"},
		"thing":  {"kettle", "bicycle", "radio", "tomato plant", "sewing machine", "accordion", "lamp", "sourdough", "typewriter", "printer", "raincoat", "bookshelf"},
		"grown":  {"flowered", "sprouted", "given up", "doubled in size", "turned red", "grown a second head"},
		"broke":  {"gave up", "caught fire, briefly", "started humming", "lost a screw", "stopped turning"},
		"joy":    {"the bakery was out of everything but my favourite", "a child waved at me from the tram", "the letter arrived after all", "clean sheets", "someone returned my umbrella", "the choir next door was practising"},
		"place":  {"the harbour", "the old mill", "the station", "Castle Hill", "the allotments", "the library", "the canal", "the market", "the lighthouse", "the north beach"},
		"animal": {"a heron", "an indignant goose", "two foxes", "somebody's cat", "a very small dog", "a hedgehog", "a horse", "nine ducks", "an owl"},
		"food":   {"lentil soup", "porridge", "rhubarb", "pizza", "kimchi", "apple cake", "cold noodles", "toast", "pickled beetroot", "rice pudding", "dumplings"},
		"how":    {"cold", "for breakfast", "the next day", "without salt", "eaten standing", "with too much pepper"},
		"doing":  {"sorting buttons", "tuning the piano", "fixing the fence", "reading old maps", "cleaning the oven", "labelling jars", "painting the hall", "rewinding cassettes", "arguing with a spreadsheet"},
		"topic":  {"lichens", "lighthouses", "the history of salt", "knots", "train timetables", "mould", "bees", "medieval bridges", "shipwrecks", "typefaces", "tides"},
		"event":  {"repair café", "open-air cinema", "book swap", "choir evening", "plant sale", "chess night", "jumble sale", "lecture"},
	},
}

var botTexts = []string{
	"High water {place}: 2.{n} m at 0{n}:1{n}.", "The {n}:3{n} is {n} minutes late.", "Seen at the feeder: {animal}. Visits today: {n}{n}.",
	"Word of the day no. {n}{n}{n}: 'quillet', a small plot of land.",
}

// The descriptions of pictures of each kind.
var pictureTexts = [PictureKinds]string{
	"Sunset over a calm sea, the sun half under the horizon.",
	"Three hills one behind the other in morning mist.",
	"A night sky full of stars above dark roofs.",
	"A field of flowers, very many, in rows.",
	"Waves in two colours, as on an old poster.",
	"A window with rain running down it, lights behind.",
}

package demo

// The comments of reports, by their subject.
var (
	spamTexts = []string{
		"Make 3,000 a week from your phone!!", "You have been selected ✅ claim here", "My coach changed my life, join the group 👉",
		"Hot singles near the harbour 🔥", "Cheap followers, instant delivery",
	}
	spamComplaints    = []string{"spam", "Spam. Third one in ten minutes.", "Crypto spam, mentions everybody.", "Same link as all the others.", ""}
	pileComplaints    = []string{"Harassment.", "One of many. I posted about soup.", "I do not know this person and they will not stop.", "Please do something, my notifications are unusable."}
	scamComplaints    = []string{"Scam.", "Obvious fraud, somebody's aunt will fall for this.", "Fake giveaway, steals wallets."}
	pictureComplaints = []string{
		"Should be behind a warning.", "No content warning on an injury. My kid was reading along.", "Please mark this as sensitive, otherwise fine.",
	}
	exposureComplaints = []string{"Publishing where a person works. Dangerous.", "Doxxing, please hurry.", "This is a call to go there."}
	rumours            = []string{
		"The tap water has had something added since Monday, my whole street sleeps badly.",
		"A doctor (name known to me) says onions in your socks cure the new flu.",
		"They are closing the hospital and nobody reports on it.",
	}
	rumourComplaints = []string{"False, the waterworks denied it this morning.", "Dangerous nonsense.", "Health misinformation. Not malicious I think, but it spreads.", "Please add a note or remove."}
	idleComplaints   = []string{
		"Sorry, wrong button.", "I do not like this person's taste in music.", "Boring.", "They unfollowed me.", "test", "asdfgh",
	}
	profileComplaints = []string{
		"The profile text is an advertisement with a link to malware.", "Profile picture is not suitable, no posts yet.", "Follows everybody and posts nothing. Bot?",
	}
)

// The remarks of moderators.
var (
	notesOpen = []string{
		"Looks like last week's wave. Waiting for one more report before I act.", "I know the reporter, will write to them.", "Borderline. Second opinion, please.",
		"Their server's admin answered: looking into it.", "Taking this one.", "Not urgent, but do not close yet.",
	}
	notesAnswer   = []string{"Agreed.", "I would go easy here.", "Same person as before under another name, I think.", "Left them a message, no answer yet.", "Back to you, I am too close to this."}
	notesGuilty   = []string{"Clear case, rule 2.", "Spam, same link as before.", "Warned twice already. Acting.", "Talked it over with the others: enough."}
	notesAgree    = []string{"Thanks for taking this.", "Good call.", "Told the reporter."}
	notesInnocent = []string{"Nothing against the rules.", "Misunderstanding, both sides informed.", "Sorted out between them.", "Reporter withdrew it."}
)

//! Tickets: descriptions, comments and changes of properties, in English.
//!
//! The gold text is the summary, the description and the texts of the comments. Names, dates,
//! properties, their changes, attachments and votes are not.

use crate::dice::Dice;
use crate::moment::Writer;
use crate::story::{DAY, Story};

const USERS: usize = 14;
const PRIORITIES: [&str; 4] = ["minor", "major", "critical", "awaiting triage"];
const COMPONENTS: [&str; 5] = ["core", "web", "import", "reports", "packaging"];

impl Writer<'_> {
    fn user(&self, dice: &mut Dice) -> String {
        let number = dice.below(USERS) as i64;
        let dice = &mut self.now.dice("user", number);
        dice.one(self.language.last_names).to_lowercase()
    }

    pub(crate) fn ticket(&mut self, story: &Story) {
        let dice = &mut self.part("ticket", story, 0);
        let comments = self.comments_of(story);
        self.open("div class=\"ctxtnav\"");
        self.html.link("/ticket/previous", "nav", "Previous Ticket");
        self.html.raw(" ");
        self.html.link("/ticket/next", "nav", "Next Ticket");
        self.close("div");
        self.open("div id=\"content\" class=\"ticket\"");
        let state = dice.one(&["new", "assigned", "closed: fixed", "closed: invalid"]);
        self.other("h1", &format!("Ticket #{} ({state} defect)", story.id));
        self.open("div class=\"date\"");
        let days = (self.now.at - story.published) / DAY;
        self.other("p", &format!("Opened {} hours ago", 24 * days + 5));
        self.other("p", &format!("Last modified {days} days ago"));
        self.close("div");
        self.kept("h2 class=\"summary\"", &story.title);
        self.properties(story, dice);
        self.open("div class=\"description\"");
        self.other("h3", "Description");
        self.open("div class=\"searchable\"");
        for block in &story.blocks {
            self.kept("p", block.text());
        }
        self.close("div");
        self.close("div");
        if dice.percent(30) {
            self.attachment(story, dice);
        }
        self.open("div class=\"votes\"");
        self.html.text(&format!("{} votes", dice.below(9)));
        self.html.raw(" ");
        self.html.link("#vote", "vote", "Vote for this ticket");
        self.close("div");
        self.other("h2 class=\"foldable\"", "Change History");
        self.open("div id=\"changelog\"");
        let changes = comments.len() + dice.between(1, 3);
        let mut comments = comments.iter();
        for number in 1..=changes {
            let dice = &mut self.part("change", story, number);
            self.change(story, number, dice);
            self.open("div class=\"comment searchable\"");
            let speaks = changes - number < comments.len() || dice.percent(60);
            if let Some(comment) = comments.next().filter(|_| speaks) {
                self.kept("p", &comment.text);
            }
            self.close("div");
            self.close("div");
        }
        self.close("div");
        self.open("div id=\"help\"");
        self.html
            .text("Note: See the guide for help on using tickets.");
        self.close("div");
        self.close("div");
        self.open("div id=\"altlinks\"");
        self.other("h3", "Download in other formats:");
        self.linked("p", "?format=csv", "Comma-delimited Text");
        self.linked("p", "?format=rss", "RSS Feed");
        self.close("div");
    }

    fn properties(&mut self, story: &Story, dice: &mut Dice) {
        let reporter = self.user(dice);
        let owner = self.user(dice);
        self.open("table class=\"properties\"");
        let milestone = format!("{}.{}", dice.between(1, 3), dice.below(10));
        for (label, value) in [
            ("Reported by:", reporter.as_str()),
            ("Owned by:", &owner),
            ("Priority:", dice.one(&PRIORITIES)),
            ("Milestone:", &milestone),
            ("Component:", dice.one(&COMPONENTS)),
            ("Keywords:", story.tags.first().copied().unwrap_or_default()),
        ] {
            self.open("tr");
            self.other("th", label);
            self.linked("td", "/query", value);
            self.close("tr");
        }
        self.close("table");
    }

    fn attachment(&mut self, story: &Story, dice: &mut Dice) {
        self.open("div id=\"attachments\"");
        self.other("h3", "Attachments");
        self.open("p");
        let file = format!("{}.patch", identifier(&story.title, 2));
        self.html.link("/attachment", "file", &file);
        let user = self.user(dice);
        self.html.text(&format!(
            " ({}.{} KB) - added by {user}",
            dice.between(1, 90),
            dice.below(10)
        ));
        self.close("p");
        self.close("div");
    }

    /// Opens a change, and writes its heading and the properties that it changes.
    fn change(&mut self, story: &Story, number: usize, dice: &mut Dice) {
        self.open("div class=\"change\"");
        self.open("h3 class=\"change\"");
        self.html.link(
            &format!("{}#comment:{number}", story.url),
            "comment",
            &format!("comment:{number}"),
        );
        let user = self.user(dice);
        self.html.text(&format!(
            " Changed {} months ago by {user}",
            dice.between(2, 30)
        ));
        self.close("h3");
        if !dice.percent(70) {
            return;
        }
        self.open("ul class=\"changes\"");
        for _ in 0..dice.between(1, 3) {
            let user = self.user(dice);
            let other = self.user(dice);
            let (name, text) = match dice.below(20) {
                0..3 => ("Status", "changed from new to closed".to_owned()),
                3..6 => ("Resolution", "set to fixed".to_owned()),
                6..9 if user == other => ("Owner", format!("set to {user}")),
                6..9 => ("Owner", format!("changed from {user} to {other}")),
                9 => {
                    let cast = self.language.cast(dice);
                    let before = self.language.headline(dice, &cast);
                    (
                        "Summary",
                        format!("changed from {before} to {}", story.title),
                    )
                }
                10..13 => (
                    "Milestone",
                    format!("set to {}.{}", dice.between(1, 3), dice.below(10)),
                ),
                13..16 => (
                    "Priority",
                    format!(
                        "changed from {} to {}",
                        PRIORITIES[0],
                        dice.one(&PRIORITIES[1..])
                    ),
                ),
                _ => ("Cc", format!("{user} added")),
            };
            self.open("li");
            self.html.raw("<strong>");
            self.html.text(name);
            self.html.raw("</strong> ");
            self.html.text(&text);
            self.close("li");
        }
        self.close("ul");
    }
}

/// Returns the first words of a text in small letters of ASCII, for names and code.
fn identifier(text: &str, words: usize) -> String {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|word| word.len() > 2).take(words).collect();
    parts.join("_")
}

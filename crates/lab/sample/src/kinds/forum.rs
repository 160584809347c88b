//! Forum: a thread of posts, in German.
//!
//! The gold text is the title and the bodies of all posts with their quotations. Names, dates,
//! the column about the author, signatures, buttons and other threads are not.

use crate::dice::Dice;
use crate::moment::{Subject, Writer};
use crate::page::date_of;
use crate::story::{Comment, DAY, Story};

/// The number of members who write posts.
const MEMBERS: usize = 90;

const RANKS: [&str; 5] = [
    "Neuling",
    "Mitglied",
    "Stammgast",
    "Altmeister",
    "Moderator",
];

/// A member of the forum. It is a function of the seed and the number.
struct Member {
    name: String,
    rank: &'static str,
    joined: String,
    place: &'static str,
    /// Posts on the first day of all ranges.
    posts: usize,
    signature: Option<String>,
}

impl Writer<'_> {
    fn member(&self, dice: &mut Dice) -> Member {
        // Few members write most of the posts.
        let number = dice.below(MEMBERS).min(dice.below(MEMBERS));
        let dice = &mut self.now.dice("member", number as i64);
        let cast = self.language.cast(dice);
        let first = dice.one(self.language.first_names).to_lowercase();
        Member {
            name: format!("{first}{}", dice.between(2, 99)),
            rank: dice.one(&RANKS),
            joined: format!(
                "{:02}.{:02}.20{:02}",
                dice.between(1, 28),
                dice.between(1, 12),
                dice.between(2, 10)
            ),
            place: cast.place,
            posts: dice.between(3, 2_000),
            signature: dice
                .percent(60)
                .then(|| self.language.opinion(dice, &cast, 1)),
        }
    }

    pub(crate) fn thread(&mut self, story: &Story) {
        let now = self.now;
        self.open("div class=\"crumbs\"");
        self.html.link("/", "crumb", now.site.name);
        self.html.raw(" &raquo; ");
        let (section, path) = self.language.sections[story.section];
        self.html.link(&format!("/{path}/"), "crumb", section);
        self.close("div");
        self.kept("h1 class=\"topic\"", &story.title);
        self.thread_pages(story);
        self.open("table class=\"forumline\" width=\"100%\"");
        self.html.raw("<tr><th>Autor</th><th>Nachricht</th></tr>");
        let mut texts: Vec<(String, String)> = Vec::new();
        self.post(story, None, 0, &mut texts);
        for (position, answer) in self.comments_of(story).iter().enumerate() {
            self.post(story, Some(answer), position + 1, &mut texts);
        }
        self.close("table");
        self.thread_pages(story);
        self.open("div class=\"similar\"");
        self.other("h3", "Ähnliche Themen");
        self.open("ul");
        let similar: Vec<&Story> = now.recent(Subject::Story(story)).take(3).collect();
        for other in similar {
            self.open("li");
            self.html.link(&other.url, "similar", &other.title);
            self.close("li");
        }
        self.close("ul");
        self.close("div");
    }

    /// Writes the buttons and the links to the pages of a thread.
    fn thread_pages(&mut self, story: &Story) {
        let pages = 1 + story.first_comments / 3;
        self.open("div class=\"pages\"");
        self.html.link("#new", "button", "Neues Thema");
        self.html.raw(" ");
        self.html
            .link("#answer", "button", self.language.labels.reply);
        self.html.raw(" <span>");
        self.html.text(&format!("Seite 1 von {pages}:"));
        for page in 1..=pages {
            self.html.raw(" ");
            let address = format!("{}?page={page}", story.url);
            self.html.link(&address, "page", &page.to_string());
        }
        self.html.raw("</span>");
        self.close("div");
    }

    fn post(
        &mut self,
        story: &Story,
        answer: Option<&Comment>,
        number: usize,
        texts: &mut Vec<(String, String)>,
    ) {
        let dice = &mut self.part("post", story, number);
        let member = self.member(dice);
        let written = answer.map_or(story.published, |answer| answer.written);
        let minute = written.rem_euclid(DAY) / 60_000_000;
        let date = date_of(written.div_euclid(DAY)).format("%d.%m.%Y");
        self.html.raw("<tr class=\"head\"><td><b>");
        self.html.text(&member.name);
        self.html.raw("</b></td><td><span class=\"postdetails\">");
        self.html.text(&format!(
            "#{} Verfasst am: {date} - {}:{:02}    Titel: {}",
            number + 1,
            minute / 60,
            minute % 60,
            story.title
        ));
        self.html.raw("</span> ");
        for button in ["Zitieren", "Melden"] {
            self.html.link("#post", "button", button);
            self.html.raw(" ");
        }
        self.html.raw("</td></tr>\n<tr><td class=\"author\">");
        self.html.text(member.rank);
        self.html.raw("<br>");
        self.html
            .text(&format!("Angemeldet seit: {}", member.joined));
        self.html.raw("<br>");
        let posts = member.posts + written.div_euclid(DAY).unsigned_abs() as usize % 1_000;
        self.html.text(&format!("Beiträge: {posts}"));
        self.html.raw("<br>");
        self.html.text(&format!("Wohnort: {}", member.place));
        self.html.raw("</td><td class=\"message\">");
        self.message(story, answer, &member, dice, texts);
        if let Some(signature) = &member.signature {
            self.html.raw("<br>_________________");
            self.other("div class=\"signature\"", signature);
        }
        self.html.raw("</td></tr>\n<tr><td>");
        self.html.link("#top", "button", "Nach oben");
        self.html.raw("</td><td>");
        self.html.link("#profile", "button", "Profil");
        self.html.raw(" ");
        self.html.link("#message", "button", "Private Nachricht");
        self.html.raw("</td></tr>");
    }

    /// Writes the body of a post, with a quotation of an earlier post in some.
    fn message(
        &mut self,
        story: &Story,
        answer: Option<&Comment>,
        member: &Member,
        dice: &mut Dice,
        texts: &mut Vec<(String, String)>,
    ) {
        let quoted = answer.filter(|_| dice.percent(25)).and_then(|_| {
            let from = dice.below(texts.len());
            texts.get(from)
        });
        if let Some((name, text)) = quoted.cloned() {
            self.kept(
                "div class=\"quotetitle\"",
                &format!("{name} hat Folgendes geschrieben:"),
            );
            self.kept("blockquote", &text);
        }
        let cast = self.language.cast(dice);
        let mut first = String::new();
        for paragraph in 0..dice.between(1, 4) {
            let sentences = dice.between(2, 5);
            let text = match answer.filter(|_| paragraph == 0) {
                Some(answer) => answer.text.clone(),
                None if dice.percent(60) => self.language.opinion(dice, &cast, sentences),
                None => self.language.paragraph(dice, &cast, sentences),
            };
            self.html.raw("<br>");
            self.kept("span class=\"postbody\"", &text);
            self.html.raw("<br>");
            if first.is_empty() {
                first = text;
            }
        }
        if answer.is_none() {
            self.html.raw("<br>");
            self.kept("span class=\"postbody\"", story.lead());
        }
        if dice.percent(10) {
            let day = self.language.date(story.date);
            self.html.raw("<br>");
            self.other(
                "span class=\"edited\"",
                &format!(
                    "Zuletzt bearbeitet von {} am {day}; insgesamt einmal bearbeitet",
                    member.name
                ),
            );
        }
        texts.push((member.name.clone(), first));
    }
}

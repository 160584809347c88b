//! Ministry: press releases and pages of offices, in German.
//!
//! The gold text of a press release is its title and text. Of an office it is the title, the
//! text, the address with its labels, and the list of links to forms. The press office's address
//! below each press release, the date of the last change, legal notes and menus are not.

use crate::dice::Dice;
use crate::moment::{Subject, Writer};
use crate::story::Story;

const STREETS: [&str; 8] = [
    "Am Wehr",
    "Hafenstraße",
    "Uferweg",
    "Schleusengasse",
    "Kanalplatz",
    "Deichstraße",
    "Mühlenweg",
    "Brückenallee",
];
const FORMS: [&str; 10] = [
    "Antrag auf Genehmigung einer Anlegestelle",
    "Anzeige eines Schadens am Ufer",
    "Antrag auf Befreiung von der Gebühr",
    "Merkblatt für Bootsführer",
    "Verzeichnis der Schleusenzeiten",
    "Antrag auf Akteneinsicht",
    "Formular für Lieferanten",
    "Erklärung zur Barrierefreiheit",
    "Anmeldung eines Sportboots",
    "Widerspruch gegen einen Bescheid",
];

impl Writer<'_> {
    pub(crate) fn ministry(&mut self, story: &Story) {
        self.menu(story);
        self.open("div id=\"content\" class=\"content\"");
        let is_office = is_office(story);
        if is_office {
            self.office(story);
        } else {
            self.release(story);
        }
        self.forms(story, is_office);
        self.nearby(story);
        self.news(story);
        self.open("div class=\"page-info\"");
        let date = self.language.date(story.date);
        self.other("p", &format!("Zuletzt geändert: {date}"));
        self.html
            .raw("<form action=\"/feedback\"><label>War diese Seite hilfreich?</label> <button>Ja</button> <button>Nein</button></form>");
        self.close("div");
        self.close("div");
        self.open("div class=\"legal\"");
        self.other(
            "p",
            "Alle Angaben ohne Gewähr. Rechtsverbindlich ist allein die im Amtsblatt veröffentlichte Fassung.",
        );
        self.close("div");
    }

    /// Writes a menu of three levels. The second and the third are of the section.
    fn menu(&mut self, story: &Story) {
        let dice = &mut self.now.dice("menu", story.section as i64);
        self.open("ul class=\"menu\"");
        for (position, (section, path)) in self.language.sections.iter().enumerate() {
            self.open("li");
            self.html.link(&format!("/{path}/"), "menu", section);
            if position == story.section {
                self.open("ul");
                for topic in dice.some(self.language.topics, 5) {
                    self.open("li");
                    self.html
                        .link(&format!("/{path}/{}", dice.below(99)), "menu", topic);
                    self.open("ul");
                    for form in dice.some(&FORMS, 3) {
                        self.linked("li", "/form", form);
                    }
                    self.close("ul");
                    self.close("li");
                }
                self.close("ul");
            }
            self.close("li");
        }
        self.close("ul");
    }

    fn office(&mut self, story: &Story) {
        let dice = &mut self.part("office", story, 0);
        let cast = self.language.cast(dice);
        self.open("header");
        self.kept("h1", &story.title);
        self.kept("p class=\"lead\"", story.lead());
        self.close("header");
        for block in story.blocks.iter().skip(1) {
            self.kept("p", block.text());
        }
        self.kept("h2", "Angaben zur Dienststelle");
        self.open("section class=\"details\"");
        let name = cast.names[0].clone();
        let address = self.address(story);
        let phone = phone(dice);
        let hours = format!(
            "{} und {}, {} bis {} Uhr, Zimmer {}",
            dice.one(&self.language.weekdays),
            dice.one(&self.language.weekdays),
            dice.between(7, 11),
            dice.between(12, 18),
            dice.between(10, 400)
        );
        let region = format!("{} und {} Orte im Umkreis", cast.place, dice.between(3, 60));
        for (label, value) in [
            ("Ansprechpartner:", name.as_str()),
            ("Anschrift:", &address),
            ("Telefon:", &phone),
            ("Sprechzeiten:", &hours),
            ("Zuständig für:", &region),
        ] {
            self.kept("h3", label);
            self.kept("p", value);
        }
        self.close("section");
    }

    fn release(&mut self, story: &Story) {
        self.kept("h1", &story.title);
        let date = self.language.date(story.date);
        self.other(
            "p class=\"date\"",
            &format!("Pressemitteilung Nr. {} vom {date}", story.id % 1_000),
        );
        for block in &story.blocks {
            self.kept("p", block.text());
        }
        let dice = &mut self.part("press", story, 0);
        let cast = self.language.cast(dice);
        self.open("div class=\"contact\"");
        self.other("h3", "Kontakt");
        self.other("p", &cast.names[1]);
        self.other("p", "Ministerium für Wasserwege, Hafenstraße 1");
        self.other("p", &format!("Durchwahl: {}", dice.between(100, 999)));
        self.close("div");
    }

    /// Returns the address of an office.
    fn address(&self, story: &Story) -> String {
        let dice = &mut self.part("address", story, 0);
        format!(
            "{} {}, {} {}",
            dice.one(&STREETS),
            dice.between(1, 120),
            dice.between(10_000, 99_999),
            dice.one(self.language.places)
        )
    }

    /// Writes the addresses of other offices, which are not the text of the page.
    fn nearby(&mut self, story: &Story) {
        let now = self.now;
        let offices = now
            .recent(Subject::Story(story))
            .filter(|other| is_office(other));
        let offices: Vec<&Story> = offices.take(4).collect();
        self.open("div class=\"nearby\"");
        self.other("h3", "Dienststellen in der Nähe");
        for office in offices {
            self.linked("p", &office.url, &office.title);
            let address = self.address(office);
            self.other("p", &address);
        }
        self.close("div");
    }

    /// Writes headlines and first paragraphs of the newest pages.
    fn news(&mut self, story: &Story) {
        let now = self.now;
        let newest: Vec<&Story> = now.recent(Subject::Story(story)).take(4).collect();
        self.open("div class=\"news\"");
        self.other("h3", "Aktuelles");
        for other in newest {
            self.teaser(other);
        }
        self.close("div");
    }

    /// Writes links to forms: the content of an office, and a box beside a press release.
    fn forms(&mut self, story: &Story, is_content: bool) {
        let dice = &mut self.part("forms", story, 0);
        if is_content {
            self.kept("h2", "Formulare und Merkblätter");
        } else {
            self.other("h3", "Zum Herunterladen");
        }
        self.open("ul class=\"downloads\"");
        for form in dice.some(&FORMS, if is_content { 2 } else { 4 }) {
            let text = format!("{form} (PDF, {} KB)", dice.between(20, 900));
            if is_content {
                self.keep(&text);
            }
            self.linked("li", "/form", &text);
        }
        self.close("ul");
    }
}

/// Returns whether a page is of an office; otherwise it is a press release.
fn is_office(story: &Story) -> bool {
    story.id % 5 < 3
}

fn phone(dice: &mut Dice) -> String {
    format!(
        "0{} {}",
        dice.between(200, 999),
        dice.between(10_000, 999_999)
    )
}

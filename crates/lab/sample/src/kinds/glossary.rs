//! Glossary: terms with short definitions, in Spanish.
//!
//! The gold text is the term and its definition with related terms. The index of letters and the
//! links to the neighbours are not.

use crate::moment::{Subject, Writer};
use crate::story::Story;

impl Writer<'_> {
    pub(crate) fn term(&mut self, story: &Story) {
        let now = self.now;
        let dice = &mut self.part("term", story, 0);
        let others: Vec<&Story> = now.recent(Subject::Story(story)).take(20).collect();
        let around = now.dice("around", story.id).some(&others, 2);
        self.open("div class=\"letters\"");
        for letter in 'A'..='Z' {
            self.html
                .link(&format!("/{letter}/"), "letter", &letter.to_string());
            self.html.raw(" ");
        }
        self.close("div");
        self.neighbours(&around);
        self.kept("h1", &story.title);
        self.open("dl");
        let class = dice.one(&["s. m.", "s. f.", "v. tr.", "adj."]);
        self.kept("dt", &format!("{}: {class}", story.title));
        self.open("dd");
        let cast = self.language.cast(dice);
        for _ in 0..dice.between(1, 3) {
            let sentences = dice.between(2, 4);
            let text = self.language.paragraph(dice, &cast, sentences);
            self.kept("p", &text);
        }
        // Terms of the same date, so that a later fetch has the same text.
        let terms = now.stories.iter().copied();
        let terms: Vec<&Story> = terms
            .filter(|other| other.date == story.date && other.id != story.id)
            .collect();
        self.related(&dice.some(&terms, 2));
        self.close("dd");
        self.close("dl");
        self.neighbours(&around);
    }

    /// Writes the sentence with the related terms, which belongs to the definition.
    fn related(&mut self, terms: &[&Story]) {
        if terms.is_empty() {
            return;
        }
        let titles: Vec<&str> = terms.iter().map(|term| term.title.as_str()).collect();
        self.keep(&format!("Compárese con {}.", titles.join(" y ")));
        self.open("p");
        for (position, term) in terms.iter().enumerate() {
            let before = if position == 0 {
                "Compárese con "
            } else {
                " y "
            };
            self.html.text(before);
            self.html.link(&term.url, "term", &term.title);
        }
        self.html.text(".");
        self.close("p");
    }

    fn neighbours(&mut self, terms: &[&Story]) {
        self.open("div class=\"navfooter\"");
        self.open("table");
        self.open("tr");
        for (label, term) in ["Anterior", "Siguiente"].iter().zip(terms) {
            self.linked("td", &term.url, label);
        }
        self.close("tr");
        self.open("tr");
        for term in terms {
            self.other("td", &term.title);
        }
        self.close("tr");
        self.close("table");
        self.close("div");
    }
}

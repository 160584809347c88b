//! Pages of other kinds of sites than news.
//!
//! Each kind writes the main part of its pages. The text to extract is marked as it is written
//! ([`Writer::kept`]), so it is on the page, in the order of the page.

mod documentation;
mod forum;
mod glossary;
mod ministry;
mod scroll;
mod shop;
mod tickets;

use crate::dice::Dice;
use crate::moment::Writer;
use crate::story::Story;

impl Writer<'_> {
    /// Returns random numbers for a part of a story. They do not depend on the moment.
    fn part(&self, purpose: &str, story: &Story, number: usize) -> Dice {
        let name = [self.now.index as i64, story.id, number as i64];
        Dice::new(self.now.seed, purpose, &name)
    }

    /// Writes an element whose text belongs to the gold text. `element` is a name with
    /// attributes.
    fn kept(&mut self, element: &str, text: &str) {
        self.keep(text);
        self.other(element, text);
    }

    /// Writes an element whose text does not belong to the gold text.
    fn other(&mut self, element: &str, text: &str) {
        self.open(element);
        self.html.text(text);
        self.close(element);
    }

    /// Writes an element with a link, outside the gold text.
    fn linked(&mut self, element: &str, address: &str, text: &str) {
        self.open(element);
        self.html.link(address, "page", text);
        self.close(element);
    }

    /// Adds a line to the gold text.
    fn keep(&mut self, text: &str) {
        if !self.gold.is_empty() {
            self.gold.push('\n');
        }
        self.gold.push_str(text);
    }

    fn open(&mut self, element: &str) {
        self.html.raw("\n<");
        self.html.raw(element);
        self.html.raw(">");
    }

    /// Closes an element. `element` may have the attributes of the start tag.
    fn close(&mut self, element: &str) {
        let name = element.split(' ').next().unwrap_or(element);
        self.html.raw("</");
        self.html.raw(name);
        self.html.raw(">");
    }
}

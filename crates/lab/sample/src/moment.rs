//! A site at one moment, and the writer of its pages.

use chrono::NaiveDate;

use crate::dice::Dice;
use crate::html::Html;
use crate::language::{Cast, Language};
use crate::site::Site;
use crate::story::{DAY, Story};
use crate::template::Template;

/// The subject of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    Story(&'a Story),
    /// The front page of a section.
    Front(usize),
    /// The list of a date's stories.
    List(NaiveDate),
    /// A "not found" page.
    NotFound,
    /// A page whose content is written by a script.
    Script,
}

/// A site at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub(crate) seed: u64,
    pub(crate) index: usize,
    pub(crate) site: &'static Site,
    pub(crate) template: &'a Template,
    /// Microseconds since 1970.
    pub(crate) at: i64,
    /// The recent stories of the site, oldest first. Some may be later than `at`.
    pub(crate) stories: &'a [&'a Story],
}

impl Moment<'_> {
    pub(crate) fn day(&self) -> i64 {
        self.at.div_euclid(DAY)
    }

    pub(crate) fn dice(&self, purpose: &str, number: i64) -> Dice {
        Dice::new(self.seed, purpose, &[self.index as i64, number])
    }

    /// Returns the stories published up to this moment, newest first, without the subject.
    pub(crate) fn recent(&self, subject: Subject<'_>) -> impl Iterator<Item = &Story> {
        let own = match subject {
            Subject::Story(story) => Some(story.id),
            _ => None,
        };
        self.stories
            .iter()
            .rev()
            .copied()
            .filter(move |story| story.published <= self.at && Some(story.id) != own)
    }
}

/// A page under construction.
pub(crate) struct Writer<'a> {
    pub(crate) html: Html<'a>,
    pub(crate) now: Moment<'a>,
    pub(crate) language: &'static Language,
    /// The people and the town that boxes mention on this day.
    pub(crate) cast: Cast,
    /// The text to extract of pages that are not of [`Kind::News`](crate::kind::Kind::News),
    /// one block per line.
    pub(crate) gold: String,
}

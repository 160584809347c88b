//! Stories: the content of articles, without markup.

use chrono::{Datelike, NaiveDate};

use crate::address::{StoryUrl, address};
use crate::dice::Dice;
use crate::language::Cast;
use crate::site::{IDS, Site, UrlStyle};
use crate::sites::{GENERAL, SITES};
use crate::titles::title;

const MINUTE: i64 = 60_000_000;
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// The greatest number of stories of a site and date.
pub(crate) const STORIES: usize = 90_000;

/// A story of a site. It is a function of seed, site, date and number.
#[derive(Debug)]
pub(crate) struct Story {
    /// An index into [`SITES`].
    pub(crate) site: usize,
    pub(crate) number: usize,
    pub(crate) id: i64,
    pub(crate) date: NaiveDate,
    pub(crate) section: usize,
    /// The time of publication, in microseconds since 1970.
    pub(crate) published: i64,
    /// The time of the first fetch, in microseconds since 1970.
    pub(crate) fetched: i64,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) author: String,
    /// A sentence about the author.
    pub(crate) about: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) caption: String,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) comments: Vec<Comment>,
    /// The number of comments at the first fetch.
    pub(crate) first_comments: usize,
}

/// A block of the body.
#[derive(Debug)]
pub(crate) enum Block {
    Paragraph(String),
    Subhead(String),
    Quote(String),
    Item(String),
}

impl Block {
    pub(crate) fn text(&self) -> &str {
        let (Block::Paragraph(text)
        | Block::Subhead(text)
        | Block::Quote(text)
        | Block::Item(text)) = self;
        text
    }
}

#[derive(Debug)]
pub(crate) struct Comment {
    pub(crate) name: String,
    /// Microseconds since 1970.
    pub(crate) written: i64,
    pub(crate) text: String,
}

/// Returns the number of days from 1970-01-01 to a date.
pub(crate) fn day_of(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - 719_163
}

/// Returns the number of stories of a site on a date. `thousandths` is the mean number of
/// stories of all general sites together, in thousandths.
pub(crate) fn count(seed: u64, site: usize, date: NaiveDate, thousandths: u64) -> usize {
    if SITES[site].launch.is_some_and(|launch| date < launch) {
        return 0;
    }
    let all: u64 = SITES[..GENERAL].iter().map(|site| site.weight).sum();
    let share = u128::from(thousandths) * u128::from(SITES[site].weight) / u128::from(all);
    let mut dice = Dice::new(seed, "count", &[site as i64, day_of(date)]);
    dice.round(u64::try_from(share).unwrap_or(u64::MAX))
        .min(STORIES)
}

impl Story {
    pub(crate) fn new(seed: u64, site: usize, date: NaiveDate, number: usize) -> Self {
        let day = day_of(date);
        let place = &SITES[site];
        let drawn = place.kind.drawn(number) as i64;
        let dice = &mut Dice::new(seed, "story", &[site as i64, day, drawn]);
        let language = place.language;
        let cast = language.cast(dice);
        let mut section = dice.below(language.sections.len());
        if place.style == UrlStyle::Desk {
            // Stories that have a `pos` in common have different sections.
            section = (day + number as i64).rem_euclid(language.sections.len() as i64) as usize;
        }
        let published = day * DAY + (dice.between(4 * 60, 21 * 60) as i64) * MINUTE;
        let lag = lag(dice);
        let title = match title(place.kind, dice, &cast) {
            Some(title) => title,
            None => language.headline(dice, &cast),
        };
        let id = (day - 10_957) * IDS + number as i64;
        let parts = StoryUrl {
            title: &title,
            date,
            id,
            number,
            section,
        };
        let writers = &mut Dice::new(seed, "author", &[site as i64, dice.below(5) as i64]);
        let author = language.name(writers);
        let tags = dice.between(1, 4);
        let background = background(seed, site, day, dice);
        Story {
            site,
            number,
            id,
            date,
            section,
            published,
            fetched: published + lag,
            url: address(place, parts),
            about: language.about(&author, writers),
            author,
            blocks: body(place, dice, &cast, background),
            caption: language.fill(dice.one(language.captions), dice, &cast),
            tags: dice.some(language.topics, tags),
            first_comments: dice.below(2 * place.comments + 1),
            comments: comments(place, dice, &cast, published),
            title,
        }
    }

    pub(crate) fn url_parts(&self) -> StoryUrl<'_> {
        StoryUrl {
            title: &self.title,
            date: self.date,
            id: self.id,
            number: self.number,
            section: self.section,
        }
    }

    /// Returns the text of the first paragraph.
    pub(crate) fn lead(&self) -> &str {
        self.blocks.first().map_or("", Block::text)
    }

    /// Returns title and body, one block per line.
    pub(crate) fn text(&self) -> String {
        let mut text = self.title.clone();
        for block in &self.blocks {
            text.push('\n');
            text.push_str(block.text());
        }
        text
    }
}

/// Draws the time from publication to the first fetch: less than three hours for 45 % of
/// the stories, up to 26 hours for the others. By then other pages may mention the story.
fn lag(dice: &mut Dice) -> i64 {
    let minutes = if dice.percent(45) {
        dice.between(1, 170)
    } else {
        dice.between(170, 26 * 60)
    };
    minutes as i64 * MINUTE + dice.below(60_000_000) as i64
}

/// Draws a background paragraph that stories of one week have in common, for 30 % of the
/// stories.
fn background(seed: u64, site: usize, day: i64, dice: &mut Dice) -> Option<String> {
    let language = SITES[site].language;
    let affair = dice.below(3) as i64;
    let has_background = dice.percent(30);
    let dice = &mut Dice::new(seed, "background", &[site as i64, day / 7, affair]);
    let cast = language.cast(dice);
    has_background.then(|| language.paragraph(dice, &cast, 4))
}

fn body(site: &Site, dice: &mut Dice, cast: &Cast, background: Option<String>) -> Vec<Block> {
    let language = site.language;
    let (low, high) = site.paragraphs;
    let mut blocks = Vec::new();
    let lead = dice.between(1, 2);
    blocks.push(Block::Paragraph(language.paragraph(dice, cast, lead)));
    for _ in 1..dice.between(low, high) {
        match dice.below(100) {
            0..5 => blocks.push(Block::Paragraph(dice.one(language.short).to_owned())),
            5..12 => {
                blocks.push(Block::Subhead(dice.one(language.subheads).to_owned()));
                let sentences = dice.between(2, 4);
                blocks.push(Block::Paragraph(language.paragraph(dice, cast, sentences)));
            }
            12..17 => blocks.push(Block::Quote(language.opinion(dice, cast, 2))),
            17..20 => {
                for _ in 0..3 {
                    blocks.push(Block::Item(language.paragraph(dice, cast, 1)));
                }
            }
            _ => {
                let sentences = dice.between(1, 5).max(dice.between(1, 5));
                blocks.push(Block::Paragraph(language.paragraph(dice, cast, sentences)));
            }
        }
    }
    blocks.extend(background.map(Block::Paragraph));
    blocks
}

/// Returns all comments of a story, including later ones, the oldest first.
fn comments(site: &Site, dice: &mut Dice, cast: &Cast, published: i64) -> Vec<Comment> {
    if site.comments == 0 {
        return Vec::new();
    }
    let mut written = published;
    (0..2 * site.comments + 3)
        .map(|_| {
            written += dice.between(1, 20) as i64 * MINUTE;
            let sentences = dice.between(1, 4);
            Comment {
                name: site.language.name(dice),
                written,
                text: site.language.opinion(dice, cast, sentences),
            }
        })
        .collect()
}

//! Stories: what is told, before any page shows it.

use chrono::{Datelike, NaiveDate};

use crate::address::{Named, address};
use crate::dice::Dice;
use crate::language::Cast;
use crate::site::Site;
use crate::sites::SITES;

const MINUTE: i64 = 60_000_000;
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// Ids of a site and date. Those from [`STORIES`] on are for broken pages.
const IDS: i64 = 100_000;

/// Most stories of a site and date.
pub(crate) const STORIES: usize = 90_000;

/// One story of one site. A function of seed, site, day and number.
#[derive(Debug)]
pub(crate) struct Story {
    /// An index of [`SITES`].
    pub(crate) site: usize,
    pub(crate) number: usize,
    pub(crate) id: i64,
    pub(crate) date: NaiveDate,
    pub(crate) section: usize,
    /// When it appeared, and when it was first fetched: microseconds since 1970.
    pub(crate) published: i64,
    pub(crate) fetched: i64,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) author: String,
    /// A line about the author.
    pub(crate) about: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) caption: String,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) comments: Vec<Comment>,
    /// How many of the comments are there when it is first fetched.
    pub(crate) first_comments: usize,
}

/// A piece of the body.
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

/// The day of a date, counted from 1970-01-01.
pub(crate) fn day_of(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - 719_163
}

/// How many stories a site has on a day on which all sites have about
/// `thousandths` of one together.
pub(crate) fn count(seed: u64, site: usize, date: NaiveDate, thousandths: u64) -> usize {
    if SITES[site].launch.is_some_and(|launch| date < launch) {
        return 0;
    }
    let all: u64 = SITES.iter().map(|site| site.weight).sum();
    let share = u128::from(thousandths) * u128::from(SITES[site].weight) / u128::from(all);
    let mut dice = Dice::new(seed, "count", &[site as i64, day_of(date)]);
    dice.round(u64::try_from(share).unwrap_or(u64::MAX))
        .min(STORIES)
}

impl Story {
    pub(crate) fn new(seed: u64, site: usize, date: NaiveDate, number: usize) -> Self {
        let day = day_of(date);
        let dice = &mut Dice::new(seed, "story", &[site as i64, day, number as i64]);
        let place = &SITES[site];
        let language = place.language;
        let cast = language.cast(dice);
        let section = dice.below(language.sections.len());
        let published = day * DAY + (dice.between(4 * 60, 21 * 60) as i64) * MINUTE;
        let lag = lag(dice);
        let title = language.headline(dice, &cast);
        let id = (day - 10_957) * IDS + number as i64;
        let named = Named {
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
            url: address(place, named),
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

    pub(crate) fn named(&self) -> Named<'_> {
        Named {
            title: &self.title,
            date: self.date,
            id: self.id,
            number: self.number,
            section: self.section,
        }
    }

    /// The text of the first paragraph.
    pub(crate) fn lead(&self) -> &str {
        self.blocks.first().map_or("", Block::text)
    }

    /// Title and body, one block per line.
    pub(crate) fn text(&self) -> String {
        let mut text = self.title.clone();
        for block in &self.blocks {
            text.push('\n');
            text.push_str(block.text());
        }
        text
    }
}

/// How long the crawler takes to come: minutes as a rule, else up to a day, when
/// other pages have named the story long before.
fn lag(dice: &mut Dice) -> i64 {
    let minutes = match dice.percent(45) {
        true => dice.between(1, 170),
        false => dice.between(170, 26 * 60),
    };
    minutes as i64 * MINUTE + dice.below(60_000_000) as i64
}

/// A paragraph that the stories of a week share: what happened so far.
fn background(seed: u64, site: usize, day: i64, dice: &mut Dice) -> Option<String> {
    let language = SITES[site].language;
    let affair = dice.below(3) as i64;
    let told = dice.percent(30);
    let dice = &mut Dice::new(seed, "background", &[site as i64, day / 7, affair]);
    let cast = language.cast(dice);
    told.then(|| language.paragraph(dice, &cast, 4))
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

/// All comments a story will ever have, the oldest first.
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

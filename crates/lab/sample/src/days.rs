//! The pages that are fetched on each day, with their times.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::address::{Spelling, front, list, respell};
use crate::broken::{Broken, broken};
use crate::dice::Dice;
use crate::moment::{Moment, Subject};
use crate::options::SampleOptions;
use crate::page::{render, render_with_gold};
use crate::row::{Gold, Page, fetched};
use crate::site::{Site, Source, Variant};
use crate::sites::SITES;
use crate::story::{DAY, Story, count, day_of};
use crate::template::Template;

/// The number of days for which a story is in the boxes of its site and in feeds.
const STORY_DAYS: u64 = 7;

/// Rows of the general sites per thousand of their stories, including repeated fetches,
/// front pages and broken rows.
const ROWS: u64 = 1_490;

/// The days of an archive, each with its pages in time order.
#[derive(Debug)]
pub(crate) struct Days {
    seed: u64,
    /// Thousandths of a story per day, over all general sites.
    stories_per_day: u64,
    next: NaiveDate,
    last: NaiveDate,
    /// The stories of the last days, by site and date.
    stories: BTreeMap<(usize, NaiveDate), Vec<Story>>,
    /// The current template of each site, with its era.
    templates: Vec<(i64, Template)>,
}

impl Days {
    pub(crate) fn new(options: &SampleOptions) -> Self {
        let days = (options.last - options.first).num_days() + 1;
        let per_day = options.pages / days.max(1).unsigned_abs();
        let day = day_of(options.first);
        Days {
            seed: options.seed,
            stories_per_day: per_day.max(1).saturating_mul(1_000_000) / ROWS,
            next: options.first,
            last: options.last,
            stories: BTreeMap::new(),
            templates: SITES
                .iter()
                .enumerate()
                .map(|(index, site)| {
                    let era = site.era(options.seed, index, day);
                    (era, Template::new(options.seed, index, era))
                })
                .collect(),
        }
    }

    /// Generates the stories that a day can mention, and drops older ones.
    fn update_stories(&mut self, date: NaiveDate) {
        let from = date - chrono::Days::new(STORY_DAYS);
        self.stories.retain(|(_, day), _| *day >= from);
        for day in from.iter_days().take(STORY_DAYS as usize + 1) {
            for site in 0..SITES.len() {
                let (seed, stories) = (self.seed, self.stories_per_day);
                self.stories.entry((site, day)).or_insert_with(|| {
                    let count = count(seed, site, day, stories);
                    (0..count)
                        .map(|number| Story::new(seed, site, day, number))
                        .collect()
                });
            }
        }
    }

    /// Replaces the templates of sites that have a new design on a day.
    fn redesign(&mut self, day: i64) {
        for (index, current) in self.templates.iter_mut().enumerate() {
            let era = SITES[index].era(self.seed, index, day);
            if era != current.0 {
                *current = (era, Template::new(self.seed, index, era));
            }
        }
    }

    fn pages(&mut self, date: NaiveDate) -> Vec<Page> {
        let day = day_of(date);
        self.update_stories(date);
        self.redesign(day);
        let mut pages = Vec::new();
        for (index, site) in SITES.iter().enumerate() {
            let known = self
                .stories
                .range((index, NaiveDate::MIN)..=(index, NaiveDate::MAX));
            let mut stories: Vec<&Story> = known.flat_map(|(_, stories)| stories).collect();
            stories.sort_by_key(|story| (story.published, story.id));
            let moment = |at| Moment {
                seed: self.seed,
                index,
                site,
                template: &self.templates[index].1,
                at,
                stories: &stories,
            };
            for story in &stories {
                let visits = visits(self.seed, site, story);
                for visit in visits
                    .iter()
                    .filter(|visit| visit.at.div_euclid(DAY) == day)
                {
                    pages.push(visited(&moment(visit.shown), story, visit));
                }
            }
            pages.extend(lists(&moment, date));
        }
        for row in 0..broken_rows(self.seed, day, self.stories_per_day) {
            let dice = &mut Dice::new(self.seed, "broken", &[day, row as i64]);
            let index = dice.below(12);
            let at = day * DAY + dice.below(DAY as usize) as i64;
            let moment = Moment {
                seed: self.seed,
                index,
                site: &SITES[index],
                template: &self.templates[index].1,
                at,
                stories: &[],
            };
            let kind =
                Broken::ALL[(day / 3 + row as i64).rem_euclid(Broken::ALL.len() as i64) as usize];
            pages.push(broken(kind, &moment, date, row));
        }
        pages.sort_by(|a, b| (a.fetched_at, &a.url).cmp(&(b.fetched_at, &b.url)));
        pages
    }
}

impl Iterator for Days {
    type Item = (NaiveDate, Vec<Page>);

    fn next(&mut self) -> Option<(NaiveDate, Vec<Page>)> {
        if self.next > self.last {
            return None;
        }
        let date = self.next;
        self.next = date.succ_opt()?;
        Some((date, self.pages(date)))
    }
}

/// One fetch of a story.
struct Visit {
    at: i64,
    spelling: Spelling,
    /// The moment that the page shows. It is before `at` if a cache answers.
    shown: i64,
}

/// Returns the fetches of a story, with times and URL spellings. They are a function of
/// the seed and the story.
fn visits(seed: u64, site: &Site, story: &Story) -> Vec<Visit> {
    let dice = &mut Dice::new(seed, "visits", &[story.site as i64, story.id]);
    let first = Visit {
        at: story.fetched,
        spelling: Spelling::Plain,
        shown: story.fetched,
    };
    let mut visits = vec![first];
    let minutes = |dice: &mut Dice| dice.between(2, 400) as i64 * 60_000_000;
    if site.source == Source::Feed {
        for (spelling, share) in [
            (Spelling::Tracked, 8),
            (Spelling::Sectioned, 4),
            (Spelling::Redirected, 6),
            (Spelling::OtherScheme, 3),
            (Spelling::Escaped, 3),
            (Spelling::Slash, 2),
        ] {
            if dice.percent(share) {
                let at = story.fetched + minutes(dice);
                visits.push(Visit {
                    at,
                    spelling,
                    shown: story.fetched,
                });
            }
        }
    }
    if dice.percent(4) {
        visits.push(Visit {
            at: story.fetched + DAY + minutes(dice),
            spelling: Spelling::Plain,
            shown: story.fetched,
        });
    }
    if dice.percent(6) {
        let at = story.fetched + dice.between(1, 5) as i64 * DAY + minutes(dice);
        visits.push(Visit {
            at,
            spelling: Spelling::Plain,
            shown: at,
        });
    }
    if site.kind.growth() > 0 && dice.percent(site.kind.growth()) {
        let at = story.fetched + dice.between(1, 4) as i64 * DAY + minutes(dice);
        visits.push(Visit {
            at,
            spelling: Spelling::Plain,
            shown: at,
        });
    }
    if !site.variants.is_empty() {
        vary(&mut visits, seed, site, story);
    }
    visits
}

/// Adds the fetches of the other URLs of a story, up to three days after the first fetch.
/// The first fetch of some stories has such a URL too.
fn vary(visits: &mut Vec<Visit>, seed: u64, site: &Site, story: &Story) {
    let dice = &mut Dice::new(seed, "variants", &[story.site as i64, story.id]);
    let variants = site.variants.iter().copied();
    let variants: Vec<(Variant, usize)> = variants
        .filter(|(variant, _)| variant.applies_to(&story.url))
        .collect();
    if dice.percent(site.first_variant) {
        let (variant, _) = dice.one(&variants);
        visits[0].spelling = Spelling::Variant(variant, throw(dice));
    }
    for (variant, share) in variants {
        if dice.percent(share) {
            let at = story.fetched
                + dice.between(0, 3) as i64 * DAY
                + dice.between(2, 400) as i64 * 60_000_000;
            visits.push(Visit {
                at,
                spelling: Spelling::Variant(variant, throw(dice)),
                shown: at,
            });
        }
    }
}

/// Draws a number of 56 bits.
fn throw(dice: &mut Dice) -> u64 {
    let [high, low] = [dice.below(1 << 28), dice.below(1 << 28)];
    (high as u64) << 28 | low as u64
}

fn visited(moment: &Moment<'_>, story: &Story, visit: &Visit) -> Page {
    let site = moment.site;
    let template = match visit.spelling {
        Spelling::Variant(Variant::Twin(twin), _) => moment.template.twin(twin),
        _ => moment.template,
    };
    let moment = &Moment {
        template,
        ..*moment
    };
    let (request_url, url) = respell(&story.url, visit.spelling, site, story.url_parts());
    let (html, text) = render_with_gold(moment, Subject::Story(story));
    Page {
        title: (site.source == Source::Feed).then(|| story.title.clone()),
        gold: Some(Gold {
            text,
            lang: site.language.code,
            site: site.domain(),
        }),
        ..fetched(site, visit.at, request_url, url, html)
    }
}

/// Returns the fetches of pages that list stories: on some days the front page of a
/// section, or the list of the day.
fn lists<'a>(moment: &impl Fn(i64) -> Moment<'a>, date: NaiveDate) -> Vec<Page> {
    let day = day_of(date);
    let Moment {
        seed,
        index,
        site,
        stories,
        ..
    } = moment(day * DAY);
    if !site.kind.has_lists() {
        return Vec::new();
    }
    let dice = &mut Dice::new(seed, "lists", &[index as i64, day]);
    let mut time = || day * DAY + DAY / 3 + dice.below(DAY as usize * 2 / 3) as i64;
    let [front_at, list_at] = [time(), time()];
    let section = dice.below(site.language.sections.len());
    let today = stories.iter().filter(|story| story.date == date).count();
    let mut pages = Vec::new();
    if dice.percent(15) && stories.len() >= 20 {
        let url = front(site, section);
        let html = render(&moment(front_at), Subject::Front(section));
        pages.push(fetched(site, front_at, url.clone(), url, html));
    }
    if dice.percent(60) && today >= 2 {
        let url = list(site, date);
        let html = render(&moment(list_at), Subject::List(date));
        pages.push(fetched(site, list_at, url.clone(), url, html));
    }
    pages
}

/// Returns the number of broken rows of a day: about one in a hundred, and at least one on
/// every third day.
fn broken_rows(seed: u64, day: i64, stories_per_day: u64) -> usize {
    let rows = Dice::new(seed, "broken", &[day]).round(stories_per_day / 100);
    rows.max(usize::from(day % 3 == 0))
}

//! The archive: which pages were fetched on a day, and when.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::address::{Spelling, front, list, respell};
use crate::broken::{Broken, broken};
use crate::dice::Dice;
use crate::page::{Moment, Subject};
use crate::site::{Declared, Site, Source};
use crate::sites::SITES;
use crate::story::{DAY, Story, count, day_of};
use crate::template::Template;
use crate::{Gold, Page, SampleOptions};

/// For how many days a story stays in the boxes of its site and in feeds.
const MEMORY: u64 = 7;

/// Rows per thousand stories: what is fetched again, front pages, broken pages.
const ROWS: u64 = 1_490;

/// The days of an archive, each with its pages in time order.
#[derive(Debug)]
pub(crate) struct Days {
    seed: u64,
    /// Thousandths of a story per day, over all sites.
    stories_per_day: u64,
    next: NaiveDate,
    last: NaiveDate,
    /// The stories of the last days by site and date.
    stories: BTreeMap<(usize, NaiveDate), Vec<Story>>,
    /// The template in use, and its era.
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
            templates: (SITES.iter().enumerate())
                .map(|(index, site)| {
                    let era = site.era(options.seed, index, day);
                    (era, Template::new(options.seed, index, era))
                })
                .collect(),
        }
    }

    /// Tells the stories that a day can mention, and forgets the others.
    fn remember(&mut self, date: NaiveDate) {
        let from = date - chrono::Days::new(MEMORY);
        self.stories.retain(|(_, day), _| *day >= from);
        for day in from.iter_days().take(MEMORY as usize + 1) {
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

    /// The template of each site that is in use on a day.
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
        self.remember(date);
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
    /// The moment the page shows: a cache may be behind.
    shown: i64,
}

/// When a story is fetched, and under which addresses. A function of the story.
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
    visits
}

fn visited(moment: &Moment<'_>, story: &Story, visit: &Visit) -> Page {
    let site = moment.site;
    let (request_url, url) = respell(&story.url, visit.spelling, site, story.named());
    Page {
        title: (site.source == Source::Feed).then(|| story.title.clone()),
        gold: Some(Gold {
            text: story.text(),
            lang: site.language.code,
            site: site.domain(),
        }),
        ..fetched(
            site,
            visit.at,
            request_url,
            url,
            moment.page(Subject::Story(story)),
        )
    }
}

/// A row as a crawler writes it where nothing went wrong.
pub(crate) fn fetched(
    site: &Site,
    at: i64,
    request_url: String,
    url: String,
    html: Vec<u8>,
) -> Page {
    let charset = site.charset.name();
    Page {
        fetched_at: at,
        request_url: Some(request_url),
        url: Some(url),
        html,
        title: None,
        content_type: Some(match site.declared {
            Declared::ContentType => format!("text/html; charset={charset}"),
            _ => "text/html".to_owned(),
        }),
        http_charset: (site.declared == Declared::HttpCharset).then(|| charset.to_owned()),
        http_status: Some(200),
        gold: None,
    }
}

/// Now and then the crawler follows a link to a page that lists stories: a
/// section's front page, or the archive of the day.
fn lists<'a>(moment: &impl Fn(i64) -> Moment<'a>, date: NaiveDate) -> Vec<Page> {
    let day = day_of(date);
    let Moment {
        seed,
        index,
        site,
        stories,
        ..
    } = moment(day * DAY);
    let dice = &mut Dice::new(seed, "lists", &[index as i64, day]);
    let mut time = || day * DAY + DAY / 3 + dice.below(DAY as usize * 2 / 3) as i64;
    let [front_at, list_at] = [time(), time()];
    let section = dice.below(site.language.sections.len());
    let today = stories.iter().filter(|story| story.date == date).count();
    let mut pages = Vec::new();
    if dice.percent(15) && stories.len() >= 20 {
        let url = front(site, section);
        let html = moment(front_at).page(Subject::Front(section));
        pages.push(fetched(site, front_at, url.clone(), url, html));
    }
    if dice.percent(60) && today >= 2 {
        let url = list(site, date);
        let html = moment(list_at).page(Subject::List(date));
        pages.push(fetched(site, list_at, url.clone(), url, html));
    }
    pages
}

/// About one row in a hundred is broken, and one every third day at least.
fn broken_rows(seed: u64, day: i64, stories_per_day: u64) -> usize {
    let rows = Dice::new(seed, "broken", &[day]).round(stories_per_day / 100);
    rows.max(usize::from(day % 3 == 0))
}

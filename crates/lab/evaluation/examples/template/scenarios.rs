//! Scenarios of pages that reach a template, and the quality of their labels.

use std::collections::BTreeMap;

use scoring::lcs;
use template::{BlockCounts, PagePaths, Reason, Template, first_equal};
use url_tree::{DomainReplay, Entry, Heuristic, WindowOptions};

use crate::sites::{Page, Part, Site};

/// A scenario: sequences of pages that are replayed under a name.
pub(crate) struct Scenario<'s> {
    pub(crate) name: String,
    runs: Vec<Run<'s>>,
}

/// A sequence of pages that the template treats as one site.
struct Run<'s> {
    part: Part,
    site: &'s str,
    batch: Batch,
    visits: Vec<Visit<'s>>,
}

struct Visit<'s> {
    page: &'s Page,
    scored: bool,
    inserted: Counted,
    labelled: Counted,
    /// Pages that leave the window after this page.
    evicted: usize,
}

/// The counts of the URL Tree for a page at its insertion or its label.
#[derive(Clone, Default)]
struct Counted {
    pages: u32,
    blocks: Vec<u32>,
    /// Per block, the first with an equal text.
    first: Vec<usize>,
}

/// The pages that are inserted before the first of them is labelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Batch {
    Page,
    Run,
}

/// The stream of each site, page by page and with full look-ahead.
pub(crate) fn streams(sites: &[Site]) -> impl Iterator<Item = Scenario<'_>> {
    [("online", Batch::Page), ("run", Batch::Run)]
        .into_iter()
        .map(|(name, batch)| Scenario {
            name: name.to_owned(),
            runs: (sites.iter())
                .map(|site| {
                    Run::of(
                        site,
                        batch,
                        site.pages.iter().map(|page| (page, page.scored)),
                    )
                })
                .collect(),
        })
}

/// 5, 10, 20 and 41 pages of each site, from its beginning and from its middle, as if
/// the site had no other pages.
pub(crate) fn few(sites: &[Site]) -> impl Iterator<Item = Scenario<'_>> {
    [("few", Batch::Page), ("few, run", Batch::Run)]
        .into_iter()
        .map(|(name, batch)| {
            let runs = sites.iter().flat_map(|site| {
                let starts = [0, site.pages.len() / 2];
                starts.into_iter().flat_map(move |start| {
                    [5, 10, 20, 41].map(|count| {
                        let pages = site.pages[start..].iter().take(count);
                        Run::of(site, batch, pages.map(|page| (page, true)))
                    })
                })
            });
            Scenario {
                name: name.to_owned(),
                runs: runs.collect(),
            }
        })
}

/// Pages of two sites as one site: 150 of one, then 120 of the other, as after a change of
/// the template; and both in turn, as of two blogs on one host.
pub(crate) fn mixed(sites: &[Site]) -> impl Iterator<Item = Scenario<'_>> {
    let pairs = |part: Part| {
        let of_part: Vec<&Site> = sites.iter().filter(|site| site.part == part).collect();
        let next = of_part.clone().into_iter().cycle().skip(1);
        of_part
            .into_iter()
            .zip(next)
            .collect::<Vec<(&Site, &Site)>>()
    };
    let pairs: Vec<(&Site, &Site)> = [pairs(Part::A), pairs(Part::B)].concat();
    let changed = pairs.clone().into_iter().map(|(one, other)| {
        let before = one.pages.iter().take(150).map(|page| (page, false));
        let after =
            (other.pages.iter().take(120).enumerate()).map(|(at, page)| (page, at % 2 == 0));
        Run::daily(one, before.chain(after))
    });
    let both = pairs.into_iter().map(|(one, other)| {
        let pages = one.pages.iter().zip(&other.pages).take(120).enumerate();
        Run::daily(
            one,
            pages.flat_map(|(at, (one, other))| [(one, at % 2 == 0), (other, at % 2 == 0)]),
        )
    });
    [("change", changed.collect()), ("mixed", both.collect())]
        .into_iter()
        .map(|(name, runs): (&str, Vec<Run<'_>>)| Scenario {
            name: name.to_owned(),
            runs,
        })
}

/// 40 pages of each site, each as if it were the only one.
pub(crate) fn single(sites: &[Site]) -> impl Iterator<Item = Scenario<'_>> {
    let runs = sites.iter().flat_map(|site| {
        let count = site.pages.len().min(40);
        (0..count).map(move |number| {
            let page = &site.pages[number * site.pages.len() / count];
            Run::of(site, Batch::Page, [(page, true)])
        })
    });
    std::iter::once(Scenario {
        name: "single".to_owned(),
        runs: runs.collect(),
    })
}

/// The pages of each gold set, each as if it were the only one of its site.
pub(crate) fn pages(sites: &[Site]) -> impl Iterator<Item = Scenario<'_>> {
    let mut sets: BTreeMap<&str, Vec<Run<'_>>> = BTreeMap::new();
    for site in sites {
        let set = site.name.split(':').next().unwrap_or_default();
        let runs = (site.pages.iter()).map(|page| Run::of(site, Batch::Page, [(page, true)]));
        sets.entry(set).or_default().extend(runs);
    }
    (sets.into_iter()).map(|(set, runs)| Scenario {
        name: set.to_owned(),
        runs,
    })
}

impl<'s> Run<'s> {
    fn of(site: &'s Site, batch: Batch, pages: impl IntoIterator<Item = (&'s Page, bool)>) -> Self {
        let pages: Vec<_> = (pages.into_iter())
            .map(|(page, scored)| (page, scored, page.time_micros))
            .collect();
        Self::counted(site, batch, &pages)
    }

    /// Creates a run in which the pages come one a day.
    fn daily(site: &'s Site, pages: impl IntoIterator<Item = (&'s Page, bool)>) -> Self {
        let days = (0..).map(|day| day * 24 * 60 * 60 * 1_000_000);
        let pages: Vec<_> = (pages.into_iter().zip(days))
            .map(|((page, scored), time)| (page, scored, time))
            .collect();
        Self::counted(site, Batch::Page, &pages)
    }

    fn counted(site: &'s Site, batch: Batch, pages: &[(&'s Page, bool, i64)]) -> Self {
        let window = WindowOptions::default();
        let mut tree = DomainReplay::new(site.domain_labels, Heuristic::default(), window);
        let mut visits: Vec<Visit<'s>> = Vec::new();
        for &(page, scored, time_micros) in pages {
            tree.insert(Entry {
                time_micros,
                branch: &page.branch,
                hashes: &page.blocks.hashes,
            });
            let inserted = Counted::of(page, &tree);
            visits.push(Visit {
                page,
                scored,
                labelled: inserted.clone(),
                inserted,
                evicted: match batch {
                    Batch::Page => tree.end_batch(time_micros),
                    Batch::Run => 0,
                },
            });
        }
        if batch == Batch::Run {
            (visits.iter_mut()).for_each(|visit| visit.labelled = Counted::of(visit.page, &tree));
        }
        Run {
            part: site.part,
            site: &site.name,
            batch,
            visits,
        }
    }

    /// Calls `each` with the reasons for the blocks of each scored page.
    fn replay(&self, left_out: &[Reason], mut each: impl FnMut(&Page, &[Reason])) {
        let mut template = Template::without(left_out);
        let mut label = |template: &Template, visit: &Visit<'_>| {
            if visit.scored {
                let outline = visit.page.blocks.outline();
                let reasons = template.label(&outline, visit.labelled.counts());
                each(visit.page, &reasons);
            }
        };
        for visit in &self.visits {
            template.insert(&visit.slots(&template));
            if self.batch == Batch::Page {
                label(&template, visit);
                template.evict(visit.evicted);
            }
        }
        if self.batch == Batch::Run {
            self.visits.iter().for_each(|visit| label(&template, visit));
        }
    }
}

impl Counted {
    fn of(page: &Page, tree: &DomainReplay) -> Self {
        let domain = tree
            .counts(&page.branch, &page.blocks.hashes)
            .into_iter()
            .next();
        domain.map_or_else(Self::default, |domain| Self {
            pages: domain.support,
            blocks: domain.counts,
            first: first_equal(&page.blocks.hashes),
        })
    }

    fn counts(&self) -> BlockCounts<'_> {
        BlockCounts {
            pages: self.pages,
            blocks: &self.blocks,
            first: &self.first,
        }
    }
}

impl Visit<'_> {
    fn slots(&self, template: &Template) -> PagePaths {
        template.page_paths(&self.page.blocks.outline(), self.inserted.counts())
    }
}

impl Scenario<'_> {
    pub(crate) fn named(mut self, prefix: &str) -> Self {
        self.name = format!("{prefix}, {}", self.name);
        self
    }

    /// Whether a table with a row per site is short enough to read.
    pub(crate) fn is_of_few_sites(&self) -> bool {
        !self
            .runs
            .iter()
            .all(|run| run.visits.len() == 1 && run.site.contains(':'))
    }

    pub(crate) fn template(&self, left_out: &[Reason]) -> Means {
        self.means(left_out, |reason| reason.is_content())
    }

    /// The labels without the title of the page, as in gold texts without titles.
    pub(crate) fn body_alone(&self) -> Means {
        self.means(&[], |reason| {
            reason.is_content() && reason != Reason::OwnTitle
        })
    }

    fn means(&self, left_out: &[Reason], keeps: impl Fn(Reason) -> bool) -> Means {
        let mut means = Means::default();
        for run in &self.runs {
            run.replay(left_out, |page, reasons| {
                means.add(run, page, |block| keeps(reasons[block]));
            });
        }
        means
    }

    /// The paper's heuristic at the domain node [P 4].
    pub(crate) fn strict(&self) -> Means {
        let mut means = Means::default();
        for run in &self.runs {
            for visit in run.visits.iter().filter(|visit| visit.scored) {
                means.add(run, visit.page, |block| visit.labelled.blocks[block] <= 1);
            }
        }
        means
    }

    /// The blocks whose words occur in the gold text, in order. It is not an upper bound:
    /// short blocks of the template occur there by chance, and blocks that the gold text
    /// spells differently do not.
    pub(crate) fn blocks_in_gold(&self) -> Means {
        let mut means = Means::default();
        for run in &self.runs {
            for visit in run.visits.iter().filter(|visit| visit.scored) {
                let page = visit.page;
                means.add(run, page, |block| {
                    let words = &page.words[block];
                    !words.is_empty() && page.gold.windows(words.len()).any(|gold| gold == words)
                });
            }
        }
        means
    }
}

/// The sum of F1 and the number of pages, by part and site.
#[derive(Default)]
pub(crate) struct Means {
    sites: BTreeMap<(Part, String), (f64, usize)>,
}

impl Means {
    fn add(&mut self, run: &Run<'_>, page: &Page, keeps: impl Fn(usize) -> bool) {
        let blocks = page.words.iter().enumerate();
        let kept: Vec<_> = (blocks.filter(|(at, _)| keeps(*at)))
            .flat_map(|(_, words)| words.iter().copied())
            .collect();
        if let Some(score) = lcs(&page.gold, &kept).outcome().counted() {
            let site = self
                .sites
                .entry((run.part, run.site.to_owned()))
                .or_default();
            *site = (site.0 + score.f1, site.1 + 1);
        }
    }

    fn values(&self, of: impl Fn(Part) -> bool) -> Vec<f64> {
        (self.sites.iter())
            .filter(|((part, _), _)| of(*part))
            .map(|(_, (sum, pages))| sum / *pages as f64)
            .collect()
    }

    pub(crate) fn sites(&self, part: Part) -> usize {
        self.values(|of| of == part).len()
    }

    pub(crate) fn mean(&self, part: Part) -> Option<f64> {
        mean(&self.values(|of| of == part))
    }

    pub(crate) fn all(&self) -> f64 {
        mean(&self.values(|_| true)).unwrap_or_default()
    }

    pub(crate) fn worst(&self, part: Part) -> Option<f64> {
        self.values(|of| of == part)
            .into_iter()
            .min_by(f64::total_cmp)
    }

    pub(crate) fn of(&self, part: Part, site: &str) -> Option<f64> {
        let found = self.sites.get(&(part, site.to_owned()));
        found.map(|(sum, pages)| sum / *pages as f64)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = (Part, &str)> {
        self.sites.keys().map(|(part, name)| (*part, name.as_str()))
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

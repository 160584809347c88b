//! A domain that learns from its pages and labels them.

use std::collections::VecDeque;
use std::sync::Arc;

use site_replay::{BatchedReplay, Batching, Labelling, PageLabels};
use template::Outline;
use url_key::{Domain, PageUrl, UrlKey};
use url_tree::{DAY_MICROS, Entry};

use crate::error::SiteError;
use crate::page::{Fetched, PageId, Status};
use crate::page_keys::{KeyedPage, PageKeys, Role};
use crate::page_text::PageText;
use crate::parsed_page::{LazyPage, Observed, ParsedPage};
use crate::settings::SiteSettings;

/// Blocks of waiting pages whose outlines are kept from insertion to labelling. Lower: more outlines are
/// computed twice. Higher: more memory, some 150 bytes per block.
const MAX_OUTLINE_BLOCKS: usize = 1 << 17;

/// A domain that learns from its pages and labels them. See the [crate's documentation](crate).
#[derive(Debug)]
pub struct Site {
    settings: Arc<SiteSettings>,
    domain: Option<Domain>,
    keys: PageKeys,
    /// `None` until the domain is known.
    replay: Option<BatchedReplay>,
    /// The time of the last page.
    last_micros: Option<i64>,
    /// The batch of the last page that was inserted.
    batch: Option<i64>,
    waiting: VecDeque<WaitingPage>,
    /// Blocks of the outlines in `waiting`.
    outline_blocks: usize,
}

/// A page that takes part in the replay.
#[derive(Debug)]
struct ReplayedPage {
    id: Arc<PageId>,
    /// The page that has its key; `None` for a unique page.
    duplicate_of: Option<Arc<PageId>>,
    key: UrlKey,
    title: Option<String>,
    batch: i64,
    time_micros: i64,
    /// `None` for a duplicate that was only added, and for one that is not HTML.
    parsed: Option<ParsedPage>,
}

/// A page that was pushed, and has no labels yet.
#[derive(Debug)]
enum WaitingPage {
    /// It needs none.
    Done(Box<PageText>),
    Replayed(Box<ReplayedPage>, Option<Outline>),
}

/// A page whose key is decided.
enum Visited {
    Done(Box<PageText>),
    Replayed(Box<ReplayedPage>),
}

impl Site {
    /// Creates a site of which nothing is known. Its domain is that of its first page.
    pub fn new(settings: Arc<SiteSettings>) -> Self {
        Self {
            keys: PageKeys::new(&settings),
            settings,
            domain: None,
            replay: None,
            last_micros: None,
            batch: None,
            waiting: VecDeque::new(),
            outline_blocks: 0,
        }
    }

    /// Creates a site with a domain: the public suffix and one label, as in the tables.
    pub fn of_domain(settings: Arc<SiteSettings>, domain: &str) -> Self {
        let mut site = Self::new(settings);
        site.begin_domain(Domain::from_name(domain));
        site
    }

    /// The domain, if it is known.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_ref().map(Domain::as_str)
    }

    /// Learns from a page.
    ///
    /// # Errors
    /// [`SiteError`]. The site is as before.
    pub fn add(&mut self, fetched: &Fetched<'_>) -> Result<Status, SiteError> {
        self.refuse_waiting()?;
        Ok(match self.visit(fetched, Observed::Blocks)? {
            Visited::Done(page) => page.status,
            Visited::Replayed(page) => {
                self.begin(page.batch);
                match page.duplicate_of {
                    None => drop(self.insert(&page)),
                    Some(_) => return Ok(self.revise(&page).0),
                }
                Status::Unique
            }
        })
    }

    /// Learns from a page unless its URL key is known, and labels it by all that is known then.
    ///
    /// A page of a known key may be older than the last page.
    ///
    /// # Errors
    /// [`SiteError`]. The site is as before.
    pub fn extract(&mut self, fetched: &Fetched<'_>) -> Result<PageText, SiteError> {
        self.refuse_waiting()?;
        let is_older =
            (self.last_micros.zip(fetched.fetched_at)).is_some_and(|(last, at)| at < last);
        if is_older && let Some(page) = self.known(fetched)? {
            return Ok(page);
        }
        self.add_and_label(fetched)
    }

    /// Labels a page by all that is known, and changes nothing.
    ///
    /// # Errors
    /// [`SiteError::OtherDomain`].
    pub fn look(&self, fetched: &Fetched<'_>) -> Result<PageText, SiteError> {
        let (id, date) = (self.id(fetched), self.date(fetched));
        let url = match self.url(fetched)? {
            Ok(url) => url,
            Err(problem) => return Ok(quarantined(&id, problem)),
        };
        let title = self.title(fetched, &url);
        let key = self.keys.key(&self.settings, &url, title.as_deref(), date);
        if key.blocklisted {
            return Ok(PageText::empty(id, Status::Blocklisted, None));
        }
        let first = self.keys.find(&key.text, date).cloned();
        let lazy = LazyPage::new(fetched, &self.settings.blocks, date, Observed::All);
        let parsed = match lazy.parsed() {
            Ok(parsed) => parsed,
            Err(problem) => return Ok(quarantined(&id, problem)),
        };
        let page = ReplayedPage {
            id,
            duplicate_of: first,
            key,
            title: fetched.title.map(str::to_owned),
            batch: 0,
            time_micros: 0,
            parsed: Some(parsed),
        };
        let outline = self.outline(&page);
        let labels = self.label(&page, outline.as_ref());
        let status = page
            .duplicate_of
            .as_ref()
            .map(|first| page.status_of(first));
        Ok(page.labelled(status.unwrap_or(Status::NotAdded), labels))
    }

    /// Learns from a page, and labels it when its batch is complete. Returns the pages that were
    /// pushed before and are labelled now, in their order: those of the batches before this page's.
    ///
    /// # Errors
    /// [`SiteError`]. The site is as before.
    pub fn push(&mut self, fetched: &Fetched<'_>) -> Result<Vec<PageText>, SiteError> {
        if self.settings.batching == Batching::Page {
            return Ok(vec![self.add_and_label(fetched)?]);
        }
        let mut labelled = Vec::new();
        match self.visit(fetched, Observed::All)? {
            Visited::Done(page) => self.waiting.push_back(WaitingPage::Done(page)),
            Visited::Replayed(page) => {
                let mut outline = None;
                if page.duplicate_of.is_none() {
                    if self.batch != Some(page.batch) {
                        labelled = self.label_before(page.batch);
                    }
                    self.begin(page.batch);
                    outline = self.insert(&page);
                    let blocks = outline.as_ref().map_or(0, Outline::block_count);
                    self.outline_blocks += blocks;
                    if self.outline_blocks > MAX_OUTLINE_BLOCKS {
                        self.outline_blocks -= blocks;
                        outline = None;
                    }
                }
                (self.waiting).push_back(WaitingPage::Replayed(page, outline));
            }
        }
        Ok(labelled)
    }

    /// Labels the pages that were pushed and wait, as a job does at the end of its dates.
    pub fn finish(&mut self) -> Vec<PageText> {
        self.label_before(i64::MAX)
    }

    /// Forgets the labels that pages wait for. The site keeps what it learned from them.
    pub fn discard(&mut self) {
        self.waiting.clear();
        self.outline_blocks = 0;
    }

    fn refuse_waiting(&self) -> Result<(), SiteError> {
        match self.waiting.len() {
            0 => Ok(()),
            waiting => Err(SiteError::Waiting(waiting)),
        }
    }

    fn add_and_label(&mut self, fetched: &Fetched<'_>) -> Result<PageText, SiteError> {
        let page = match self.visit(fetched, Observed::All)? {
            Visited::Done(page) => return Ok(*page),
            Visited::Replayed(page) => page,
        };
        self.begin(page.batch);
        if page.duplicate_of.is_none() {
            let outline = self.insert(&page);
            let labels = self.label(&page, outline.as_ref());
            return Ok(page.labelled(Status::Unique, labels));
        }
        let (status, labels) = self.revise(&page);
        Ok(page.labelled(status, labels))
    }

    /// Labels a page whose URL key is known; `None` if it is not.
    fn known(&self, fetched: &Fetched<'_>) -> Result<Option<PageText>, SiteError> {
        let page = self.look(fetched)?;
        let is_new = page.status == Status::NotAdded;
        Ok((!is_new).then_some(page))
    }

    /// Decides whether a page takes part in the replay.
    fn visit(&mut self, fetched: &Fetched<'_>, observed: Observed) -> Result<Visited, SiteError> {
        let (id, date) = (self.id(fetched), self.date(fetched));
        let time_micros = self.time(fetched);
        let url = match self.url(fetched)? {
            Ok(url) => url,
            Err(problem) => return Ok(Visited::Done(Box::new(quarantined(&id, problem)))),
        };
        self.refuse_older(fetched)?;
        if self.domain.is_none() {
            self.begin_domain(url.domain().clone());
        }
        self.last_micros = Some(time_micros);
        self.keys.begin(&self.settings.keyer, date);
        let title = self.title(fetched, &url);
        let key = self.keys.key(&self.settings, &url, title.as_deref(), date);
        if key.blocklisted {
            let page = PageText::empty(id, Status::Blocklisted, None);
            return Ok(Visited::Done(Box::new(page)));
        }
        let settings = Arc::clone(&self.settings);
        let mut lazy = LazyPage::new(fetched, &settings.blocks, date, observed);
        let keyed = KeyedPage {
            url: &url,
            key: &key,
            date,
            time_micros,
            id: &id,
        };
        let duplicate_of = match self.keys.classify(&settings.keyer, &keyed, &mut lazy) {
            Role::First => None,
            Role::Duplicate(first) => Some(first),
        };
        let is_replayed = duplicate_of.is_none() || settings.revisions;
        let parsed = match (is_replayed, observed) {
            (false, Observed::Blocks) => None,
            _ => Some(lazy.parsed()),
        };
        let parsed = match parsed.transpose() {
            Err(problem) if is_replayed => {
                return Ok(Visited::Done(Box::new(quarantined(&id, problem))));
            }
            // A duplicate that a job would not parse.
            other => other.unwrap_or_default(),
        };
        Ok(Visited::Replayed(Box::new(ReplayedPage {
            id,
            duplicate_of,
            key,
            title: fetched.title.map(str::to_owned),
            batch: self.settings.batching.batch_of(date),
            time_micros,
            parsed,
        })))
    }

    /// Parses the URL. The inner error is the reason to quarantine the page.
    fn url(&self, fetched: &Fetched<'_>) -> Result<Result<PageUrl, String>, SiteError> {
        if fetched.html.is_none() {
            return Ok(Err("html is null".to_owned()));
        }
        let url = match self.settings.keyer.parse(fetched.url) {
            Ok(url) => url,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match &self.domain {
            Some(domain) if domain != url.domain() => Err(SiteError::OtherDomain {
                url: fetched.url.to_owned(),
                found: url.domain().as_str().to_owned(),
                expected: domain.as_str().to_owned(),
            }),
            _ => Ok(Ok(url)),
        }
    }

    /// The title that the key is made of.
    fn title(&self, fetched: &Fetched<'_>, url: &PageUrl) -> Option<String> {
        let settings = &self.settings;
        if settings
            .title
            .needs_html(&settings.keyer, url, fetched.title)
        {
            let html = fetched.html?;
            return html_blocks::title(html, fetched.charset, &settings.blocks);
        }
        settings.title.feed_title(fetched.title).map(str::to_owned)
    }

    fn refuse_older(&self, fetched: &Fetched<'_>) -> Result<(), SiteError> {
        match (self.last_micros, fetched.fetched_at) {
            (Some(last), Some(at)) if at < last => Err(SiteError::order(fetched.url, at, last)),
            _ => Ok(()),
        }
    }

    fn begin_domain(&mut self, domain: Domain) {
        let replay = self.replay_of(&domain);
        (self.domain, self.replay) = (Some(domain), Some(replay));
    }

    fn replay_of(&self, domain: &Domain) -> BatchedReplay {
        let settings = &self.settings;
        let replay = BatchedReplay::new(
            domain.labels(),
            settings.labelling,
            settings.constants,
            settings.window,
            settings.batching,
        );
        replay.with_marks(settings.marks.of(domain.as_str()).cloned())
    }

    fn id(&self, fetched: &Fetched<'_>) -> Arc<PageId> {
        Arc::new(PageId {
            url: fetched.url.to_owned(),
            fetched_at: fetched.fetched_at,
        })
    }

    fn time(&self, fetched: &Fetched<'_>) -> i64 {
        let before = self.last_micros.unwrap_or_default();
        fetched.fetched_at.unwrap_or(before)
    }

    /// Days since 1970.
    fn date(&self, fetched: &Fetched<'_>) -> i32 {
        let days = self.time(fetched).div_euclid(DAY_MICROS);
        i32::try_from(days).unwrap_or(i32::MAX)
    }
}

/// The replay.
impl Site {
    fn begin(&mut self, batch: i64) {
        if let Some(replay) = &mut self.replay {
            replay.begin(batch);
        }
    }

    /// Inserts a unique page. Returns its outline.
    fn insert(&mut self, page: &ReplayedPage) -> Option<Outline> {
        self.batch = Some(page.batch);
        let outline = self.outline(page);
        let (replay, parsed) = (self.replay.as_mut()?, page.parsed.as_ref()?);
        let branch = page.key.branch();
        let entry = Entry {
            time_micros: page.time_micros,
            branch: branch.items(),
            hashes: &parsed.hashes,
        };
        replay.insert(entry, outline);
        let outline = replay.take_outline();
        replay.skip_page();
        outline
    }

    fn outline(&self, page: &ReplayedPage) -> Option<Outline> {
        let is_used = self.settings.labelling == Labelling::Template;
        let parsed = page.parsed.as_ref().filter(|_| is_used);
        parsed.and_then(ParsedPage::outline)
    }

    /// Labels a page by what is known now; `None` for a page without blocks.
    fn label(&self, page: &ReplayedPage, outline: Option<&Outline>) -> Option<PageLabels> {
        let parsed = page.parsed.as_ref()?;
        let branch = page.key.branch();
        let hashes = &parsed.hashes;
        match &self.replay {
            Some(replay) => Some(replay.label(branch.items(), hashes, outline)),
            None => {
                let replay = self.replay_of(&page.key.domain);
                Some(replay.label(branch.items(), hashes, outline))
            }
        }
    }

    /// Labels a duplicate. With `dedup.revisions`, inserts its unseen text if it has enough.
    fn revise(&mut self, page: &ReplayedPage) -> (Status, Option<PageLabels>) {
        let outline = self.outline(page);
        if self.settings.revisions
            && let (Some(replay), Some(parsed)) = (&mut self.replay, &page.parsed)
        {
            let branch = page.key.branch();
            let entry = Entry {
                time_micros: page.time_micros,
                branch: branch.items(),
                hashes: &parsed.hashes,
            };
            let lengths = parsed.utf16_lengths();
            if let Some(revision) = replay.label_duplicate(entry, &lengths, outline.as_ref()) {
                return (Status::Revision, Some(revision.labels));
            }
        }
        let status = page
            .duplicate_of
            .as_ref()
            .map(|first| page.status_of(first));
        let labels = self.label(page, outline.as_ref());
        (status.unwrap_or(Status::Duplicate), labels)
    }

    /// Labels the waiting pages of batches before `end`.
    fn label_before(&mut self, end: i64) -> Vec<PageText> {
        let mut labelled = Vec::new();
        while let Some(waiting) = self.waiting.pop_front() {
            labelled.push(match waiting {
                WaitingPage::Done(page) => *page,
                WaitingPage::Replayed(page, outline) if page.batch >= end => {
                    (self.waiting).push_front(WaitingPage::Replayed(page, outline));
                    break;
                }
                WaitingPage::Replayed(page, outline) => {
                    self.begin(page.batch);
                    self.outline_blocks -= outline.as_ref().map_or(0, Outline::block_count);
                    if page.duplicate_of.is_some() {
                        let (status, labels) = self.revise(&page);
                        page.labelled(status, labels)
                    } else {
                        let outline = outline.or_else(|| self.outline(&page));
                        let labels = self.label(&page, outline.as_ref());
                        page.labelled(Status::Unique, labels)
                    }
                }
            });
        }
        labelled
    }
}

impl ReplayedPage {
    /// The status of a page that is not inserted, because `first` has its key.
    fn status_of(&self, first: &PageId) -> Status {
        if *first == *self.id {
            Status::Known
        } else {
            Status::Duplicate
        }
    }

    fn labelled(self, status: Status, labels: Option<PageLabels>) -> PageText {
        let mut page = PageText::empty(self.id, status, None);
        page.title = self.title;
        if let (Some(parsed), Some(labels)) = (self.parsed, labels) {
            page.node = (self.key.branch()).node(labels.labels.node.depth.into());
            page = page.with_blocks(parsed, &labels);
        }
        page.url_key = self.key.text;
        page.duplicate_of = self.duplicate_of.filter(|_| status != Status::Known);
        page
    }
}

fn quarantined(id: &Arc<PageId>, problem: String) -> PageText {
    PageText::empty(Arc::clone(id), Status::Quarantined, Some(problem))
}

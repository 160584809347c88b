//! A domain that learns from its pages and labels them.

use std::collections::VecDeque;
use std::sync::Arc;

use site_replay::{KeyedPage, Labelling, PageKeys, PageLabels, Role, SiteSettings, SiteStream};
use template::Outline;
use url_key::{Domain, PageUrl, UrlKey};
use url_tree::{DAY_MICROS, Entry};

use crate::error::SiteError;
use crate::page::{Fetched, PageId, Status};
use crate::page_text::PageText;
use crate::parsed_page::{LazyPage, Observed, ParsedPage};

/// No label waits for the pages of later days.
const LAST_DAY: i32 = i32::MAX;

/// A domain that learns from its pages and labels them. See the [crate's documentation](crate).
#[derive(Debug)]
pub struct Site {
    settings: Arc<SiteSettings>,
    domain: Option<Domain>,
    keys: PageKeys<Arc<PageId>>,
    /// `None` until the domain is known.
    stream: Option<SiteStream>,
    /// The time of the last page.
    last_micros: Option<i64>,
    waiting: VecDeque<Visited>,
}

/// A page that takes part in the replay.
#[derive(Debug)]
struct ReplayedPage {
    id: Arc<PageId>,
    /// The page that has its key; `None` for a unique page.
    duplicate_of: Option<Arc<PageId>>,
    key: UrlKey,
    title: Option<String>,
    /// Days since 1970.
    date: i32,
    time_micros: i64,
    /// `None` for a duplicate that was only added, and for one that is not HTML.
    parsed: Option<ParsedPage>,
}

/// A page whose key is decided.
#[derive(Debug)]
enum Visited {
    /// It needs no labels.
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
            stream: None,
            last_micros: None,
            waiting: VecDeque::new(),
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
            Visited::Replayed(page) if page.duplicate_of.is_some() => self.revise(&page).0,
            Visited::Replayed(page) => {
                drop(self.learn(&page));
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
            date,
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
        let mut labelled = Vec::new();
        let page = self.visit(fetched, Observed::All)?;
        if let (Visited::Replayed(page), Some(stream)) = (&page, &mut self.stream)
            && page.duplicate_of.is_none()
            && !stream.is_one_by_one()
        {
            if stream.expect(page.date) {
                labelled = self.label_due();
            }
            self.insert(page);
        }
        self.waiting.push_back(page);
        if self.stream.as_ref().is_none_or(SiteStream::is_one_by_one) {
            labelled = self.label_due();
        }
        Ok(labelled)
    }

    /// Labels the pages that were pushed and wait, as a job does at the end of its dates.
    pub fn finish(&mut self) -> Vec<PageText> {
        if let Some(stream) = &mut self.stream {
            stream.end();
        }
        self.label_due()
    }

    /// Forgets the labels that pages wait for. The site keeps what it learned from them.
    pub fn discard(&mut self) {
        for page in std::mem::take(&mut self.waiting) {
            if let (Visited::Replayed(page), Some(stream)) = (page, &mut self.stream)
                && page.duplicate_of.is_none()
            {
                stream.skip_page();
            }
        }
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
        if page.duplicate_of.is_none() {
            let outline = self.learn(&page);
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
        (self.keys).begin(&self.settings.keyer, date, |id| id.url.clone());
        let parts = self.keys.parts(&self.settings.keyer, &url);
        parts.iter().for_each(|parts| self.keys.see(parts, date));
        let title = self.title(fetched, &url);
        let key = self.keys.key(&self.settings, &url, title.as_deref(), date);
        if key.blocklisted {
            let page = PageText::empty(id, Status::Blocklisted, None);
            return Ok(Visited::Done(Box::new(page)));
        }
        let settings = Arc::clone(&self.settings);
        let mut lazy = LazyPage::new(fetched, &settings.blocks, date, observed);
        let keyed = KeyedPage {
            address: fetched.url,
            parts: parts.as_ref(),
            key: &key,
            date,
            time_micros,
            id: &id,
        };
        let duplicate_of = match self.keys.classify(&keyed, &mut lazy) {
            Role::First => None,
            Role::Duplicate { original, .. } => Some(original),
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
            date,
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
        let stream = SiteStream::new(&domain, &self.settings, LAST_DAY);
        (self.domain, self.stream) = (Some(domain), Some(stream));
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
    /// Inserts a unique page that waits for its labels.
    fn insert(&mut self, page: &ReplayedPage) {
        let outline = self.outline(page);
        if let (Some(stream), Some(parsed)) = (&mut self.stream, &page.parsed) {
            let branch = page.key.branch();
            stream.insert(page.entry(branch.items(), parsed), page.date, outline);
        }
    }

    /// Inserts a unique page. Returns its outline.
    fn learn(&mut self, page: &ReplayedPage) -> Option<Outline> {
        let outline = self.outline(page);
        let (stream, parsed) = (self.stream.as_mut()?, page.parsed.as_ref()?);
        let branch = page.key.branch();
        stream.learn(page.entry(branch.items(), parsed), page.date, outline)
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
        let label = |stream: &SiteStream| stream.label(branch.items(), hashes, outline);
        Some(match &self.stream {
            Some(stream) => label(stream),
            None => label(&SiteStream::new(&page.key.domain, &self.settings, LAST_DAY)),
        })
    }

    /// Labels a duplicate. With `dedup.revisions`, inserts its unseen text if it has enough.
    fn revise(&mut self, page: &ReplayedPage) -> (Status, Option<PageLabels>) {
        if let Some(stream) = &mut self.stream {
            stream.begin(page.date);
        }
        let outline = self.outline(page);
        if self.settings.revisions
            && let (Some(stream), Some(parsed)) = (&mut self.stream, &page.parsed)
        {
            let branch = page.key.branch();
            let (entry, lengths) = (page.entry(branch.items(), parsed), parsed.utf16_lengths());
            if let Some(revision) =
                stream.label_duplicate(entry, page.date, &lengths, outline.as_ref())
            {
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

    /// Labels the waiting pages that are due.
    fn label_due(&mut self) -> Vec<PageText> {
        let mut labelled = Vec::new();
        while let Some(page) = self
            .waiting
            .pop_front_if(|page| match (page, &self.stream) {
                (Visited::Replayed(page), Some(stream)) => stream.is_due(page.date),
                _ => true,
            })
        {
            labelled.push(match page {
                Visited::Done(page) => *page,
                Visited::Replayed(page) => self.labelled(*page),
            });
        }
        labelled
    }

    /// Labels a page that is due.
    fn labelled(&mut self, page: ReplayedPage) -> PageText {
        if page.duplicate_of.is_some() {
            let (status, labels) = self.revise(&page);
            return page.labelled(status, labels);
        }
        let is_kept = self.stream.as_ref().is_some_and(SiteStream::has_outline);
        let outline = (!is_kept).then(|| self.outline(&page)).flatten();
        let labels = self.stream.as_mut().zip(page.parsed.as_ref());
        let labels = labels.map(|(stream, parsed)| {
            let branch = page.key.branch();
            stream.label_page(page.entry(branch.items(), parsed), page.date, outline)
        });
        page.labelled(Status::Unique, labels.map(|page| page.labels))
    }
}

impl ReplayedPage {
    fn entry<'a, S>(&self, branch: &'a [S], parsed: &'a ParsedPage) -> Entry<'a, S> {
        Entry {
            time_micros: self.time_micros,
            branch,
            hashes: &parsed.hashes,
        }
    }

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

//! Known URL keys, and the decision whether a page is a duplicate [P 3].

use std::collections::{HashMap, VecDeque};

use md5::{Digest, Md5};
use url_tree::{DAY_MICROS, WindowOptions};

use crate::Batching;
use crate::clock::{BatchClock, BatchStart};

/// The distance over which an earlier page of the same URL key makes a page a duplicate:
/// `paper.lookback` of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookback {
    /// All earlier pages, as in the experiment of [P 3].
    All,
    /// This many microseconds, counted from the last page of the key that was not a
    /// duplicate.
    Micros(i64),
    /// As long as the key is in the domain's window, as in the authors' service
    /// [O E1]. The window of keys has the sizes of the tree's window.
    Window(WindowOptions),
}

/// A text that is not a [`Lookback`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a lookback; expected all, window, or days such as 30d")]
pub struct UnknownLookback(String);

impl Lookback {
    /// Parses `all`, `window` or a number of days such as `30d`.
    ///
    /// # Errors
    /// [`UnknownLookback`] for any other text.
    pub fn parse(text: &str, window: WindowOptions) -> Result<Self, UnknownLookback> {
        let days = |text: &str| text.strip_suffix('d')?.parse::<u32>().ok();
        match text {
            "all" => Ok(Self::All),
            "window" => Ok(Self::Window(window)),
            text => match days(text) {
                Some(days) => Ok(Self::Micros(i64::from(days) * DAY_MICROS)),
                None => Err(UnknownLookback(text.to_owned())),
            },
        }
    }

    /// Whether a first page at `first` makes a page of its key at `time` a duplicate.
    fn reaches(self, first: i64, time: i64) -> bool {
        match self {
            Self::Micros(reach) => time.saturating_sub(first) <= reach,
            Self::All | Self::Window(_) => true,
        }
    }

    /// Whether the decision about a key depends on the other keys of its domain.
    /// Otherwise keys can be processed one at a time, in any order.
    pub fn spans_keys(self) -> bool {
        matches!(self, Self::Window(_))
    }

    /// Whether the next page of a key replaces a first page without text: a page that is
    /// quarantined when it is parsed, or that has no text block. It is not added to [`KnownKeys`].
    ///
    /// Only [`All`](Self::All) replaces it. With a number of days, another first page moves
    /// the end of the lookback, which changes the status of pages that the job does not
    /// parse. With a window, it also changes which keys of the domain are evicted. Pages
    /// would have to be parsed one after the other to decide.
    pub fn rejects_pages_without_text(self) -> bool {
        matches!(self, Self::All)
    }
}

/// The known URL keys of one domain, each with a value `T` of its first page.
///
/// Pages come in time order: those of a key, and with [`Lookback::Window`] those of the
/// domain.
///
/// ```
/// use site_replay::{Batching, FoundBy, KnownKeys, Lookback};
///
/// let mut keys = KnownKeys::new(Lookback::All, Batching::Date);
/// assert_eq!(keys.earlier("http://a.example/1", 0, 10), None);
/// keys.add("http://a.example/1", 10, "first");
/// assert_eq!(keys.earlier("http://a.example/1", 0, 20), Some((&"first", FoundBy::Key)));
/// ```
#[derive(Debug)]
pub struct KnownKeys<T> {
    lookback: Lookback,
    batching: Batching,
    clock: BatchClock,
    first_pages: HashMap<KeyHash, FirstPage<T>>,
    /// Times and keys in order of insertion; only filled with [`Lookback::Window`].
    window: VecDeque<(i64, KeyHash)>,
    /// Keys that pages got after their own key was decided.
    aliases: HashMap<KeyHash, Vec<(AliasDates, T)>>,
}

/// The MD5 of a URL key, by which keys are known: a site has millions of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyHash([u8; 16]);

impl KeyHash {
    pub(crate) fn of(key: &str) -> Self {
        Self(Md5::digest(key).into())
    }
}

/// The dates on which a page has a key besides its own: a part of its URL turned out to be noise.
/// In days since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasDates {
    /// First date.
    pub from: i32,
    /// First date after them.
    pub until: i32,
    /// The date since which the dropped parts are noise. Of two pages with one alias, the one
    /// that had it first is the page of the key, and of those the earlier.
    pub since: i32,
}

#[derive(Debug)]
struct FirstPage<T> {
    time_micros: i64,
    page: T,
}

/// How a duplicate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// An earlier page has its key.
    Key,
    /// An earlier page got its key as an alias.
    Alias,
    /// An earlier page has its content.
    Content,
}

impl<T> KnownKeys<T> {
    /// Creates an empty set of keys.
    pub fn new(lookback: Lookback, batching: Batching) -> Self {
        Self {
            lookback,
            batching,
            clock: BatchClock::new(batching),
            first_pages: HashMap::new(),
            window: VecDeque::new(),
            aliases: HashMap::new(),
        }
    }

    /// Removes all keys, before the first page of another domain.
    pub fn clear(&mut self) {
        self.first_pages.clear();
        self.window.clear();
        self.aliases.clear();
        self.clock = BatchClock::new(self.batching);
    }

    /// Adds the first page of a key that an earlier run found. `date` is in days since 1970.
    pub fn restore(&mut self, key: &str, date: i32, time_micros: i64, page: T) {
        self.begin(self.batching.batch_of(date));
        self.add(key, time_micros, page);
    }

    /// Adds a key that an earlier page has on some dates besides its own. Aliases of a key come in
    /// the order of their pages.
    pub fn add_alias(&mut self, key: &str, dates: AliasDates, page: T) {
        let aliases = self.aliases.entry(KeyHash::of(key)).or_default();
        // Of equal dates the first page wins, so a key has few aliases, however many pages.
        if !aliases.iter().any(|(known, _)| *known == dates) {
            aliases.push((dates, page));
        }
    }

    /// Removes all aliases: the caller adds those that follow from later verdicts.
    pub fn clear_aliases(&mut self) {
        self.aliases.clear();
    }

    /// The number of keys and aliases.
    pub(crate) fn len(&self) -> usize {
        self.first_pages.len() + self.aliases.len()
    }

    /// Returns the first page of `key`, or the page that has it as an alias on `date`, and changes
    /// nothing. A number of days as lookback does not count.
    pub fn find(&self, key: &str, date: i32) -> Option<&T> {
        let key = KeyHash::of(key);
        let first = self.first_pages.get(&key).map(|first| &first.page);
        first.or_else(|| self.alias(key, date))
    }

    /// Returns the page that makes a page of `key` a duplicate: the first of the key within the lookback.
    /// `date` is the page's, in days since 1970. Before the pages of a new batch are added.
    pub fn earlier(&mut self, key: &str, date: i32, time_micros: i64) -> Option<(&T, FoundBy)> {
        self.begin(self.batching.batch_of(date));
        let (lookback, key) = (self.lookback, KeyHash::of(key));
        let first = self.first_pages.get(&key);
        let first = first.filter(|first| lookback.reaches(first.time_micros, time_micros));
        match first {
            Some(first) => Some((&first.page, FoundBy::Key)),
            None => Some((self.alias(key, date)?, FoundBy::Alias)),
        }
    }

    /// Adds the first page of a key, for which [`earlier`](Self::earlier) found none. With
    /// [`Lookback::rejects_pages_without_text`], only if the page has text.
    pub fn add(&mut self, key: &str, time_micros: i64, page: T) {
        let key = KeyHash::of(key);
        if self.lookback.spans_keys() {
            self.window.push_back((time_micros, key));
        }
        let first = FirstPage { time_micros, page };
        self.first_pages.insert(key, first);
        self.clock.advance(time_micros);
    }

    /// The page that has `key` as an alias on `date`.
    fn alias(&self, key: KeyHash, date: i32) -> Option<&T> {
        let aliases = self.aliases.get(&key)?.iter();
        aliases
            .filter(|(dates, _)| (dates.from..dates.until).contains(&date))
            .min_by_key(|(dates, _)| dates.since)
            .map(|(_, page)| page)
    }

    /// Begins a batch. With [`Lookback::Window`] evicts the keys that the end of the
    /// batch before moves out of the window [O F1].
    fn begin(&mut self, batch: i64) {
        let Lookback::Window(window) = self.lookback else {
            return;
        };
        let BatchStart::New {
            ended: Some(newest),
        } = self.clock.begin(batch)
        else {
            return;
        };
        while let Some((oldest, _)) = self.window.front()
            && window.evicts(self.window.len(), *oldest, newest)
        {
            if let Some((_, key)) = self.window.pop_front() {
                self.first_pages.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: WindowOptions = WindowOptions {
        max_pages: 2,
        max_age_micros: 10,
        min_pages: 1,
    };

    /// Whether each page `(key, batch, time)` is the first of its key.
    fn firsts(lookback: Lookback, pages: &[(&str, i32, i64)]) -> Vec<bool> {
        let mut keys = KnownKeys::new(lookback, Batching::Date);
        let is_first = |(key, date, time): &(&str, i32, i64)| {
            let is_first = keys.earlier(key, *date, *time).is_none();
            if is_first {
                keys.add(key, *time, ());
            }
            is_first
        };
        pages.iter().map(is_first).collect()
    }

    #[test]
    fn without_a_limit_the_first_page_wins_forever() {
        let pages = [("a", 0, 0), ("a", 9, i64::MAX), ("b", 9, i64::MAX)];
        assert_eq!(firsts(Lookback::All, &pages), [true, false, true]);
    }

    #[test]
    fn days_count_from_the_last_page_that_was_not_a_duplicate() {
        let day = Lookback::parse("1d", WindowOptions::default()).unwrap();
        let pages = [
            ("a", 0, 0),
            ("a", 1, DAY_MICROS),
            ("a", 1, DAY_MICROS + 1),
            ("a", 2, 2 * DAY_MICROS),
        ];
        assert_eq!(firsts(day, &pages), [true, false, true, false]);
    }

    #[test]
    fn a_window_evicts_the_oldest_key_when_a_batch_ends() {
        let pages = [
            ("a", 1, 1),
            ("b", 1, 2),
            ("c", 1, 3),
            // Still batch 1: nothing is evicted yet.
            ("a", 1, 3),
            // "a" is evicted, and becomes the newest of "b", "c", "a".
            ("a", 2, 4),
            ("b", 2, 4),
            // "b" is evicted.
            ("b", 3, 5),
        ];
        let expected = [true, true, true, false, true, false, true];
        assert_eq!(firsts(Lookback::Window(SMALL), &pages), expected);
    }

    #[test]
    fn duplicates_do_not_advance_the_clock_of_a_window() {
        let window = Lookback::Window(WindowOptions {
            max_pages: 9,
            ..SMALL
        });
        let pages = [("a", 1, 1), ("b", 2, 2), ("b", 3, 30), ("a", 4, 31)];
        assert_eq!(firsts(window, &pages), [true, true, false, false]);
        let pages = [("a", 1, 1), ("b", 2, 2), ("c", 3, 30), ("a", 4, 31)];
        assert_eq!(firsts(window, &pages), [true, true, true, true]);
    }

    #[test]
    fn a_restored_key_makes_the_next_page_a_duplicate() {
        let mut keys = KnownKeys::new(Lookback::All, Batching::Date);
        keys.restore("a", 0, 0, "stored");
        assert_eq!(keys.earlier("a", 1, 1), Some((&"stored", FoundBy::Key)));
        keys.clear();
        assert_eq!(keys.earlier("a", 1, 1), None);
    }

    #[test]
    fn an_alias_holds_on_its_dates_and_gives_way_to_the_key_of_a_page() {
        let mut keys = KnownKeys::new(Lookback::All, Batching::Date);
        let dates = |from, since| AliasDates {
            from,
            until: 9,
            since,
        };
        keys.add_alias("a", dates(5, 5), "late");
        keys.add_alias("a", dates(3, 3), "early");
        keys.add_alias("a", dates(3, 3), "second");
        for (date, expected) in [
            (4, Some((&"early", FoundBy::Alias))),
            (5, Some((&"early", FoundBy::Alias))),
            (9, None),
        ] {
            assert_eq!(keys.earlier("a", date, 0), expected, "{date}");
        }
        keys.add("a", 0, "page");
        assert_eq!(keys.earlier("a", 5, 0), Some((&"page", FoundBy::Key)));
    }

    #[test]
    fn an_unknown_lookback_is_refused_with_what_was_expected() {
        let error = Lookback::parse("month", WindowOptions::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("month") && error.contains("30d"), "{error}");
    }
}

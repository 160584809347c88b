//! Which URL keys of a domain are known: the decision whether a page is a
//! duplicate [P 3].

use std::collections::{HashMap, VecDeque};

use url_tree::{DAY_MICROS, WindowOptions};

/// How far back a page with the same URL key makes a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// Forever, as in the experiment of [P 3].
    All,
    /// As many microseconds after the last page that was no duplicate.
    Micros(i64),
    /// While the key is among those of the domain's window, as the authors'
    /// service did [O E1].
    Window(WindowOptions),
}

impl Horizon {
    /// Reads `all`, `window` or a number of days such as `30d`.
    ///
    /// # Errors
    /// What was expected, in words.
    pub fn parse(text: &str, window: WindowOptions) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "window" => Ok(Self::Window(window)),
            days => days
                .strip_suffix('d')
                .and_then(|days| days.parse::<u32>().ok())
                .map(|days| Self::Micros(i64::from(days) * DAY_MICROS))
                .ok_or_else(|| {
                    format!("`{text}` is no horizon; expected all, window, or days such as 30d")
                }),
        }
    }

    /// Whether what is known of a key hangs on the other keys of its domain.
    pub(crate) fn is_of_domains(self) -> bool {
        matches!(self, Self::Window(_))
    }
}

/// Known URL keys of one domain, each with what is remembered of its first
/// page. Pages of a key come in time order; with a window, those of the domain.
#[derive(Debug)]
pub(crate) struct KeyCache<T> {
    horizon: Horizon,
    known: HashMap<String, Known<T>>,
    /// Keys in order of arrival; used with a window only.
    queue: VecDeque<(i64, String)>,
}

#[derive(Debug)]
struct Known<T> {
    time_micros: i64,
    page: T,
}

impl<T> KeyCache<T> {
    /// Knows nothing yet.
    pub(crate) fn new(horizon: Horizon) -> Self {
        Self {
            horizon,
            known: HashMap::new(),
            queue: VecDeque::new(),
        }
    }

    /// Knows nothing any more.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.queue.clear();
    }

    /// The page that one with `key` at `time_micros` would duplicate.
    pub(crate) fn original(&self, key: &str, time_micros: i64) -> Option<&T> {
        let known = self.known.get(key)?;
        match self.horizon {
            Horizon::Micros(reach) if time_micros.saturating_sub(known.time_micros) > reach => None,
            _ => Some(&known.page),
        }
    }

    /// From now on `page` is the page of `key`.
    pub(crate) fn insert(&mut self, key: &str, time_micros: i64, page: T) {
        self.known
            .insert(key.to_owned(), Known { time_micros, page });
        if matches!(self.horizon, Horizon::Window(_)) {
            self.queue.push_back((time_micros, key.to_owned()));
        }
    }

    /// Ends a batch whose newest page is of `newest_micros`: with a window,
    /// forgets the keys that left it [O F1].
    pub(crate) fn end_batch(&mut self, newest_micros: i64) {
        let Horizon::Window(window) = self.horizon else {
            return;
        };
        while let Some((oldest, _)) = self.queue.front()
            && window.evicts(self.queue.len(), *oldest, newest_micros)
        {
            if let Some((_, key)) = self.queue.pop_front() {
                self.known.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(max_pages: usize) -> Horizon {
        Horizon::Window(WindowOptions {
            max_pages,
            max_age_micros: 10,
            min_pages: 1,
        })
    }

    #[test]
    fn without_a_horizon_the_first_page_wins_forever() {
        let mut cache = KeyCache::new(Horizon::All);
        cache.insert("a", 0, "first");
        cache.end_batch(0);
        assert_eq!(cache.original("a", i64::MAX), Some(&"first"));
        assert_eq!(cache.original("b", 0), None);
    }

    #[test]
    fn days_count_from_the_last_page_that_was_no_duplicate() {
        let mut cache = KeyCache::new(Horizon::parse("1d", WindowOptions::default()).unwrap());
        cache.insert("a", 0, "first");
        assert_eq!(cache.original("a", DAY_MICROS), Some(&"first"));
        assert_eq!(cache.original("a", DAY_MICROS + 1), None);
        cache.insert("a", DAY_MICROS + 1, "second");
        assert_eq!(cache.original("a", 2 * DAY_MICROS), Some(&"second"));
    }

    #[test]
    fn a_window_forgets_the_oldest_key_beyond_its_size() {
        let mut cache = KeyCache::new(window(2));
        for (time, key) in [(1, "a"), (2, "b"), (3, "c")] {
            cache.insert(key, time, key);
        }
        assert_eq!(cache.original("a", 3), Some(&"a"));
        cache.end_batch(3);
        assert_eq!(cache.original("a", 3), None);
        assert_eq!(cache.original("b", 3), Some(&"b"));
        cache.end_batch(100);
        assert_eq!(cache.original("b", 100), None);
        assert_eq!(cache.original("c", 100), Some(&"c"));
    }

    #[test]
    fn a_horizon_that_is_none_says_what_one_is() {
        let error = Horizon::parse("month", WindowOptions::default()).unwrap_err();
        assert!(error.contains("month") && error.contains("30d"), "{error}");
    }
}

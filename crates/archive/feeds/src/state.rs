//! The state of a feed between two polls, and how each answer changes it.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::item::{Item, ItemDigest};
use crate::schedule::Poll;
use crate::seen::Seen;

/// Polls in which the page of an item is tried. The paper tries at every poll `[O H5]`, which repeats
/// requests for pages that are missing as long as the feed shows them.
const MAX_TRIES: u32 = 3;

/// The headers with which a server recognises the version that a reader has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, as received.
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    pub last_modified: Option<String>,
}

/// The meaning of an answer's status for a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The body is the feed.
    Feed,
    /// The feed is as it was.
    NotModified,
    /// The feed will not come back.
    Gone,
    /// The feed cannot be read now.
    Failed,
}

impl Meaning {
    /// The meaning of a status other than a redirect.
    pub fn of(status: u16) -> Self {
        match status {
            200 | 203 => Self::Feed,
            304 => Self::NotModified,
            410 => Self::Gone,
            _ => Self::Failed,
        }
    }
}

/// The fate of a new item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemResult {
    /// Its page is stored, or will never be a page of the archive.
    Done,
    /// Its page could not be fetched, and may be in the next poll.
    Failed,
    /// Its page was not requested.
    Later,
}

/// The state of a feed between two polls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedState {
    /// The version that was read. Empty as long as an item of it is open: a server that answers
    /// "not modified" would hide it.
    pub validators: Validators,
    /// Not polled before this. `None` was never polled.
    pub next_poll: Option<DateTime<Utc>>,
    /// Failures since the last success.
    pub failures: u32,
    /// The address to which the feed has moved permanently.
    pub moved_to: Option<String>,
    /// Whether the server said that the feed is gone.
    pub is_gone: bool,
    /// Items that are done.
    pub seen: Seen,
    /// Failures of items that are open.
    pub tries: BTreeMap<ItemDigest, u32>,
}

impl FeedState {
    /// Whether the feed is polled at `now`.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.next_poll.is_none_or(|next| next <= now)
    }

    /// The items that are not done, each digest once, in the order of the feed.
    pub fn new_items<'a>(&self, items: &'a [Item]) -> Vec<&'a Item> {
        let mut found = HashSet::new();
        let is_new = |item: &&Item| !self.seen.contains(&item.digest) && found.insert(item.digest);
        items.iter().filter(is_new).collect()
    }

    /// The feed was read. `items` are all of its items, `results` those that were new.
    pub fn after_items(
        &mut self,
        items: &[Item],
        results: &[(ItemDigest, ItemResult)],
        validators: Validators,
        poll: &Poll<'_>,
    ) {
        for (digest, result) in results {
            let is_done = match result {
                ItemResult::Done => true,
                ItemResult::Later => false,
                ItemResult::Failed => {
                    let tries = self.tries.entry(*digest).or_default();
                    *tries += 1;
                    *tries >= MAX_TRIES
                }
            };
            if is_done {
                self.seen.add(*digest);
            }
        }
        let current: HashSet<_> = items.iter().map(|item| item.digest).collect();
        let (seen, tries) = (&self.seen, &mut self.tries);
        tries.retain(|digest, _| current.contains(digest) && !seen.contains(digest));
        self.seen.trim(&current);
        let is_open = |item: &Item| !self.seen.contains(&item.digest);
        self.validators = match items.iter().any(is_open) {
            true => Validators::default(),
            false => validators,
        };
        self.after_success(poll);
    }

    /// The feed is as it was.
    pub fn after_not_modified(&mut self, poll: &Poll<'_>) {
        self.after_success(poll);
    }

    fn after_success(&mut self, poll: &Poll<'_>) {
        (self.failures, self.is_gone) = (0, false);
        self.next_poll = Some(poll.next());
    }

    /// The feed was found at `address` through permanent redirects, or at its own.
    pub fn found_at(&mut self, address: Option<String>) {
        self.moved_to = address;
    }

    /// The feed is gone. It is tried once more after a month.
    pub fn after_gone(&mut self, poll: &Poll<'_>) {
        // The new address of a feed may be gone, and the old one in use again.
        let was_moved = self.moved_to.take().is_some();
        self.validators = Validators::default();
        if was_moved {
            return self.after_failure(None, poll);
        }
        self.is_gone = true;
        self.next_poll = Some(poll.gone());
    }

    /// The feed could not be read. The next poll goes to the address of the list.
    pub fn after_failure(&mut self, retry_after: Option<Duration>, poll: &Poll<'_>) {
        if self.moved_to.take().is_some() {
            self.validators = Validators::default();
        }
        self.failures = self.failures.saturating_add(1);
        self.next_poll = Some(poll.retry(self.failures, retry_after));
    }

    /// A page asked for time with `Retry-After`.
    pub fn wait(&mut self, retry_after: Duration, poll: &Poll<'_>) {
        let next = poll.retry(0, Some(retry_after));
        self.next_poll = self.next_poll.max(Some(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;

    const SCHEDULE: Schedule = Schedule {
        interval: Duration::from_secs(900),
        longest: Duration::from_secs(86_400),
    };

    fn poll() -> Poll<'static> {
        SCHEDULE.poll("http://www.gazette.example/rss", DateTime::UNIX_EPOCH)
    }

    fn item(title: &str) -> Item {
        let link = format!("http://www.gazette.example/{title}");
        Item::new(Some(link), Some(title.to_owned()), None, None)
    }

    fn version() -> Validators {
        Validators {
            etag: Some("\"1\"".to_owned()),
            last_modified: None,
        }
    }

    fn read(state: &mut FeedState, items: &[Item], results: &[ItemResult]) {
        let digests = state.new_items(items).into_iter().map(|item| item.digest);
        let results: Vec<_> = digests.zip(results.iter().copied()).collect();
        state.after_items(items, &results, version(), &poll());
    }

    #[test]
    fn an_item_is_new_until_it_is_done() {
        let mut state = FeedState::default();
        let items = [item("a"), item("a"), item("b")];
        assert_eq!(state.new_items(&items).len(), 2);
        read(&mut state, &items, &[ItemResult::Done, ItemResult::Later]);
        assert_eq!(state.new_items(&items), [&items[2]]);
        assert_eq!(state.validators, Validators::default(), "an item is open");
        read(&mut state, &items, &[ItemResult::Done]);
        assert!(state.new_items(&items).is_empty());
        assert_eq!(state.validators, version());
    }

    #[test]
    fn a_page_that_fails_is_tried_in_three_polls() {
        let mut state = FeedState::default();
        let items = [item("a")];
        for _ in 0..MAX_TRIES {
            assert_eq!(state.new_items(&items).len(), 1);
            read(&mut state, &items, &[ItemResult::Failed]);
        }
        assert!(state.new_items(&items).is_empty());
        assert_eq!(state.validators, version());
        assert!(state.tries.is_empty());
    }

    #[test]
    fn tries_of_items_that_left_the_feed_are_dropped() {
        let mut state = FeedState::default();
        read(&mut state, &[item("a")], &[ItemResult::Failed]);
        assert_eq!(state.tries.len(), 1);
        read(&mut state, &[item("b")], &[ItemResult::Done]);
        assert!(state.tries.is_empty());
    }

    #[test]
    fn each_answer_has_its_next_poll() {
        let mut state = FeedState::default();
        assert!(state.is_due(DateTime::UNIX_EPOCH));
        state.after_failure(Some(Duration::from_secs(3_600)), &poll());
        assert_eq!(state.next_poll, DateTime::from_timestamp(3_600, 0));
        assert!(!state.is_due(DateTime::UNIX_EPOCH));
        state.after_failure(None, &poll());
        assert_eq!(state.failures, 2);
        state.after_not_modified(&poll());
        assert_eq!((state.failures, state.next_poll), (0, Some(poll().next())));
        state.wait(Duration::from_secs(7_200), &poll());
        assert_eq!(state.next_poll, DateTime::from_timestamp(7_200, 0));
        state.after_gone(&poll());
        assert!(state.is_gone && !state.is_due(DateTime::UNIX_EPOCH));
        assert_eq!(state.next_poll, DateTime::from_timestamp(30 * 86_400, 0));
    }

    #[test]
    fn a_failure_at_the_new_address_returns_to_the_listed_one() {
        for is_gone in [false, true] {
            let mut state = FeedState::default();
            state.found_at(Some("http://new.example/rss".to_owned()));
            state.validators = version();
            match is_gone {
                true => state.after_gone(&poll()),
                false => state.after_failure(None, &poll()),
            }
            assert_eq!((state.moved_to, state.is_gone), (None, false));
            assert_eq!(state.validators, Validators::default());
            assert_eq!(state.next_poll, Some(poll().next()));
        }
    }

    #[test]
    fn a_status_has_one_meaning() {
        for (status, meaning) in [
            (200, Meaning::Feed),
            (204, Meaning::Failed),
            (304, Meaning::NotModified),
            (404, Meaning::Failed),
            (410, Meaning::Gone),
            (503, Meaning::Failed),
        ] {
            assert_eq!(Meaning::of(status), meaning, "{status}");
        }
    }
}

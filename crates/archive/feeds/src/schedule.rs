//! When a feed is polled.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use md5::{Digest, Md5};

/// Most doublings of the interval after failures.
const MAX_DOUBLINGS: u32 = 16;
/// Longest time that a server can ask for with `Retry-After`.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(7 * 86_400);
/// Time after which a feed that is gone is tried once more.
const GONE: Duration = Duration::from_secs(30 * 86_400);

/// The times between polls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Time between two polls of a feed. Its jitter is up to a tenth of it.
    pub interval: Duration,
    /// Longest time between polls of a feed that fails. It doubles with each failure up to this.
    pub longest: Duration,
}

impl Default for Schedule {
    /// 15 minutes, as in the paper `[O H1]`, and at most a day after failures.
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(15 * 60),
            longest: Duration::from_secs(86_400),
        }
    }
}

impl Schedule {
    /// The poll of a feed at `at`.
    pub fn poll(self, url: &str, at: DateTime<Utc>) -> Poll<'_> {
        Poll {
            schedule: self,
            url,
            at,
        }
    }

    /// The interval of a feed: 90 to 110 % of [`Schedule::interval`], by its URL. Feeds that were
    /// polled together move apart, and a replay polls at the same times.
    pub fn interval_of(&self, url: &str) -> Duration {
        let digest: [u8; 16] = Md5::digest(url).into();
        let [a, b, c, d, ..] = digest;
        let share = f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX);
        self.interval.mul_f64(0.9 + 0.2 * share)
    }
}

/// The wait before the next request to a server, after failures in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Wait after the first failure. It doubles with each further one.
    pub first: Duration,
    /// Longest wait that the doubling gives.
    pub longest: Duration,
}

impl Backoff {
    /// The wait after `failures` in a row. The server can ask for more time with `Retry-After`, at most a week, and not for less.
    pub fn wait(self, failures: u32, retry_after: Option<Duration>) -> Duration {
        let doublings = failures.saturating_sub(1).min(MAX_DOUBLINGS);
        let doubled = self.first.saturating_mul(1 << doublings);
        // A first wait above the longest one is kept.
        let doubled = doubled.min(self.longest.max(self.first));
        let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
        doubled.max(asked)
    }
}

/// One poll of one feed.
#[derive(Debug, Clone, Copy)]
pub struct Poll<'a> {
    schedule: Schedule,
    url: &'a str,
    at: DateTime<Utc>,
}

impl Poll<'_> {
    /// The next poll after a success.
    pub(crate) fn next(&self) -> DateTime<Utc> {
        self.after(self.schedule.interval_of(self.url))
    }

    /// The next poll after `failures` in a row, not before what the server asks for.
    pub(crate) fn retry(&self, failures: u32, retry_after: Option<Duration>) -> DateTime<Utc> {
        let backoff = Backoff {
            first: self.schedule.interval_of(self.url),
            longest: self.schedule.longest,
        };
        self.after(backoff.wait(failures, retry_after))
    }

    /// The next poll of a feed that is gone.
    pub(crate) fn gone(&self) -> DateTime<Utc> {
        self.after(GONE)
    }

    fn after(&self, duration: Duration) -> DateTime<Utc> {
        let delta = TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX);
        self.at.checked_add_signed(delta).unwrap_or(self.at)
    }
}

/// Reads the header `Retry-After`: seconds, or a date.
pub fn retry_after(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTime::parse_from_rfc2822(header).ok()?;
    // A date that has passed asks for nothing.
    let delta = date.with_timezone(&Utc).signed_duration_since(now);
    Some(delta.to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://www.gazette.example/rss";

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_319_450_400, 0).unwrap()
    }

    fn seconds(next: DateTime<Utc>) -> i64 {
        (next - now()).num_seconds()
    }

    #[test]
    fn the_jitter_is_a_function_of_the_url_within_a_tenth() {
        let schedule = Schedule::default();
        let urls = (0..200).map(|feed| format!("http://www.gazette.example/{feed}"));
        let intervals: Vec<_> = urls.map(|url| schedule.interval_of(&url)).collect();
        let (least, most) = (intervals.iter().min(), intervals.iter().max());
        assert!(least >= Some(&Duration::from_secs(810)), "{least:?}");
        assert!(most <= Some(&Duration::from_secs(990)), "{most:?}");
        assert!(*most.unwrap() - *least.unwrap() > Duration::from_secs(150));
        assert_eq!(schedule.interval_of(URL), schedule.interval_of(URL));
    }

    #[test]
    fn failures_double_the_interval_up_to_the_longest() {
        let schedule = Schedule::default();
        let poll = schedule.poll(URL, now());
        let first = seconds(poll.retry(1, None));
        assert_eq!(first, seconds(poll.next()));
        assert!((seconds(poll.retry(3, None)) - 4 * first).abs() <= 4);
        assert_eq!(seconds(poll.retry(10, None)), 86_400);
        assert_eq!(seconds(poll.retry(u32::MAX, None)), 86_400);
    }

    #[test]
    fn a_server_can_ask_for_more_time_and_not_for_less() {
        let schedule = Schedule::default();
        let poll = schedule.poll(URL, now());
        let asked = |seconds| poll.retry(1, Some(Duration::from_secs(seconds)));
        assert_eq!(asked(1), poll.next());
        assert_eq!(seconds(asked(7_200)), 7_200);
        assert_eq!(seconds(asked(u64::MAX)), 7 * 86_400);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        for (header, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Mon, 24 Oct 2011 10:01:00 GMT", Some(60)),
            ("Mon, 24 Oct 2011 09:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
            ("", None),
            ("99999999999999999999999", None),
        ] {
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(retry_after(header, now()), expected, "{header}");
        }
    }
}

//! Polls of all feeds that are due.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use chrono::{DateTime, Utc};
use feeds::{FeedList, ListedFeed};
use futures::{StreamExt, TryStreamExt};
use import::ImportError;
use import::output::{Spool, TemporaryFolder};
use tables::Location;

use crate::clock::Clock;
use crate::commit::{self, Rows};
use crate::error::FetchError;
use crate::follow::Follower;
use crate::hosts::Hosts;
use crate::options::Options;
use crate::poll::{Polled, Poller};
use crate::report::Report;
use crate::state_file::States;
use crate::web::Web;

/// Shortest and longest sleep between rounds.
const SLEEP: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(3_600));

/// Polls the feeds of `list` that are due, and commits their pages and states to `output`.
///
/// # Errors
/// [`FetchError`]. Feeds and pages that fail are rows and counts of the report.
pub async fn fetch(
    list: &FeedList,
    output: &Location,
    options: &Options,
    clock: &dyn Clock,
) -> Result<Report, FetchError> {
    let web = Web::new(options)?;
    let mut states = commit::open(output).await?;
    let hosts = Hosts::new(options.delay);
    let follower = Follower {
        web: &web,
        hosts: &hosts,
        limits: &options.limits,
    };
    let folder = TemporaryFolder(options.spill_dir.clone());
    let mut report = Report {
        feeds: list.feeds.len() as u64,
        ..Report::default()
    };
    let now = clock.now();
    let is_due = |feed: &&ListedFeed| {
        let state = states.feeds.get(feed.url.as_str());
        state.is_none_or(|state| state.is_due(now))
    };
    let due: Vec<&ListedFeed> = list.feeds.iter().filter(is_due).collect();
    for feeds in due.chunks(options.feeds_per_commit.get()) {
        let spool = Mutex::new(Spool::new(&folder).map_err(spooled)?);
        let poller = Poller {
            follower,
            options,
            clock,
            spool: &spool,
        };
        let polled = poll(&poller, feeds, &states).await.map_err(spooled)?;
        let mut rows = Rows {
            pages: Vec::new(),
            failures: Vec::new(),
            spool: spool
                .into_inner()
                .unwrap_or_else(|error| error.into_inner()),
        };
        for (url, polled) in polled {
            report.add(&polled);
            rows.pages.extend(polled.pages);
            rows.failures.extend(polled.failures);
            states.feeds.insert(url, polled.state);
        }
        let dates = commit::commit(output, &mut states, rows, &folder).await?;
        dates.into_iter().for_each(|date| report.add_date(date));
    }
    report.next_poll = next_poll(list, &states);
    Ok(report)
}

/// Polls feeds whenever they are due, until an error. `on_round` sees the counts of each round.
///
/// # Errors
/// [`FetchError`]
pub async fn stay(
    list: &FeedList,
    output: &Location,
    options: &Options,
    clock: &dyn Clock,
    mut on_round: impl FnMut(&Report),
) -> Result<(), FetchError> {
    loop {
        let report = fetch(list, output, options, clock).await?;
        on_round(&report);
        let until = report.next_poll.map(|next| next - clock.now());
        let until = until.and_then(|until| until.to_std().ok());
        tokio::time::sleep(until.unwrap_or(SLEEP.0).clamp(SLEEP.0, SLEEP.1)).await;
    }
}

/// Polls feeds: several hosts at a time, and the feeds of a host one after the other.
async fn poll(
    poller: &Poller<'_>,
    feeds: &[&ListedFeed],
    states: &States,
) -> io::Result<BTreeMap<String, Polled>> {
    let mut hosts: BTreeMap<&str, Vec<&ListedFeed>> = BTreeMap::new();
    for feed in feeds {
        let host = feed.url.host_str().unwrap_or_default();
        hosts.entry(host).or_default().push(feed);
    }
    let host = |feeds: Vec<&ListedFeed>| {
        let feeds: Vec<ListedFeed> = feeds.into_iter().cloned().collect();
        async move {
            let mut polled = Vec::new();
            for feed in feeds {
                let state = states.feeds.get(feed.url.as_str()).cloned();
                let result = poller.poll(&feed, state.unwrap_or_default()).await?;
                polled.push((feed.url.to_string(), result));
            }
            Ok::<_, io::Error>(polled)
        }
    };
    let polled = futures::stream::iter(hosts.into_values().map(host))
        .buffer_unordered(poller.options.hosts_at_a_time.get())
        .try_collect::<Vec<_>>()
        .await?;
    Ok(polled.into_iter().flatten().collect())
}

fn next_poll(list: &FeedList, states: &States) -> Option<DateTime<Utc>> {
    let feeds = list.feeds.iter();
    let states = feeds.filter_map(|feed| states.feeds.get(feed.url.as_str()));
    states.filter_map(|state| state.next_poll).min()
}

fn spooled(source: io::Error) -> ImportError {
    ImportError::Spool {
        input: "a poll of feeds".to_owned(),
        source,
    }
}

impl Report {
    fn add(&mut self, polled: &Polled) {
        self.polled += 1;
        self.not_modified += u64::from(!polled.is_modified);
        self.new_items += polled.new_items;
        self.pages += polled.pages.len() as u64;
        self.html_bytes += (polled.pages.iter())
            .map(|page| page.body.bytes() as u64)
            .sum::<u64>();
        for failed in &polled.failures {
            *self.failures.entry(failed.reason).or_default() += 1;
            self.failed_feeds += u64::from(failed.url.is_none());
        }
    }
}

//! One poll of one feed, with the pages of its new items.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use feeds::{
    FeedState, Item, ItemDigest, ItemResult, ListedFeed, Meaning, Poll, Validators, parse,
    retry_after,
};
use import::output::{Spool, begins_as_html, is_html};
use url::Url;

use crate::clock::Clock;
use crate::failure::Failure;
use crate::follow::{Follower, Found};
use crate::options::Options;
use crate::rows::{FailedRow, Page};

/// The common parts of the polls of a commit.
pub(crate) struct Poller<'a> {
    pub(crate) follower: Follower<'a>,
    pub(crate) options: &'a Options,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) spool: &'a Mutex<Spool>,
}

/// The result of a poll.
#[derive(Debug)]
pub(crate) struct Polled {
    pub(crate) state: FeedState,
    pub(crate) pages: Vec<Page>,
    pub(crate) failures: Vec<FailedRow>,
    pub(crate) is_modified: bool,
    pub(crate) new_items: u64,
}

impl Poller<'_> {
    /// Polls a feed that is due.
    ///
    /// # Errors
    /// Those of the disk. A failure of the feed or of a page is a row.
    pub(crate) async fn poll(&self, feed: &ListedFeed, state: FeedState) -> io::Result<Polled> {
        let now = self.clock.now();
        let poll = self.options.schedule.poll(feed.url.as_str(), now);
        let mut polled = Polled {
            state,
            pages: Vec::new(),
            failures: Vec::new(),
            is_modified: true,
            new_items: 0,
        };
        let moved = polled.state.moved_to.as_deref();
        let address = moved.and_then(|moved| Url::parse(moved).ok());
        let address = address.unwrap_or_else(|| feed.url.clone());
        let max_bytes = self.options.limits.feed_bytes;
        let validators = &polled.state.validators;
        let found = self.follower.get(address, validators, max_bytes, now).await;
        let failure = match found {
            Err(failure) => failure,
            Ok(found) => match Meaning::of(found.answer.status) {
                Meaning::NotModified => {
                    polled.is_modified = false;
                    polled.state.after_not_modified(&poll);
                    return Ok(polled);
                }
                Meaning::Feed => match items(&found) {
                    Err(failure) => failure,
                    Ok(items) => {
                        if let Some(moved_to) = found.moved_to {
                            polled.state.found_at(Some(moved_to.into()));
                        }
                        let validators = found.answer.validators;
                        self.pages(feed, &items, validators, &poll, &mut polled)
                            .await?;
                        return Ok(polled);
                    }
                },
                Meaning::Gone | Meaning::Failed => status(&found, now),
            },
        };
        match &failure {
            Failure::Status { status: 410, .. } => polled.state.after_gone(&poll),
            _ => (polled.state).after_failure(failure.retry_after(), &poll),
        }
        polled.failures.push(self.failed(feed, None, &failure));
        Ok(polled)
    }

    /// Fetches the pages of new items.
    async fn pages(
        &self,
        feed: &ListedFeed,
        items: &[Item],
        validators: Validators,
        poll: &Poll<'_>,
        polled: &mut Polled,
    ) -> io::Result<()> {
        let mut results: Vec<(ItemDigest, ItemResult)> = Vec::new();
        let mut links = HashSet::new();
        let mut asked = None;
        let (limits, began) = (&self.options.limits, Instant::now());
        for item in polled.state.new_items(items) {
            let is_first = !polled.state.tries.contains_key(&item.digest);
            // A feed can have an article twice, with another description.
            let is_done = item.link.as_ref().is_some_and(|link| links.contains(link));
            let result = if is_done {
                ItemResult::Done
            } else if polled.pages.len() + polled.failures.len() >= limits.pages_per_poll
                || began.elapsed() >= limits.poll_time
            {
                ItemResult::Later
            } else {
                match self.page(feed, item).await? {
                    Ok(page) => {
                        links.extend(&item.link);
                        polled.pages.push(page);
                        ItemResult::Done
                    }
                    Err(failure) => {
                        asked = asked.max(failure.retry_after());
                        let link = item.link.as_deref();
                        polled.failures.push(self.failed(feed, link, &failure));
                        match failure {
                            Failure::Waits(_) => ItemResult::Later,
                            failure if failure.is_final() => ItemResult::Done,
                            _ => ItemResult::Failed,
                        }
                    }
                }
            };
            polled.new_items += u64::from(is_first && result != ItemResult::Later);
            results.push((item.digest, result));
        }
        polled.state.after_items(items, &results, validators, poll);
        if let Some(asked) = asked {
            polled.state.wait(asked, poll);
        }
        Ok(())
    }

    /// Fetches the page of an item into the spool.
    async fn page(&self, feed: &ListedFeed, item: &Item) -> io::Result<Result<Page, Failure>> {
        let Some(link) = &item.link else {
            return Ok(Err(Failure::NoLink));
        };
        let Ok(url) = Url::parse(link) else {
            return Ok(Err(Failure::Scheme(link.clone())));
        };
        let max_bytes = self.options.limits.page_bytes;
        let now = self.clock.now();
        let none = Validators::default();
        let found = match self.follower.get(url, &none, max_bytes, now).await {
            Ok(found) if !(200..=299).contains(&found.answer.status) => {
                return Ok(Err(status(&found, now)));
            }
            Ok(found) => found,
            Err(failure) => return Ok(Err(failure)),
        };
        let Found { url, answer, .. } = found;
        let content_type = answer.content_type;
        let is_page =
            is_html(content_type.as_deref()).unwrap_or_else(|| begins_as_html(&answer.body));
        if !is_page {
            let content_type = content_type.unwrap_or_else(|| "missing".to_owned());
            return Ok(Err(Failure::ContentType(content_type)));
        }
        let body = {
            let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
            spool.append(&answer.body)?
        };
        let url = String::from(url);
        Ok(Ok(Page {
            // The time of the answer, by which pages of an archive are ordered.
            fetched_at: self.clock.now(),
            request_url: (*link != url).then(|| link.clone()),
            url,
            title: item.title.clone(),
            content_type,
            status: i32::from(answer.status),
            x_robots_tag: answer.x_robots_tag,
            tdm_reservation: answer.tdm_reservation,
            description: item.description.clone(),
            published_at: item.published,
            feed_url: feed.url.to_string(),
            body,
        }))
    }

    fn failed(&self, feed: &ListedFeed, url: Option<&str>, failure: &Failure) -> FailedRow {
        FailedRow {
            failed_at: self.clock.now(),
            site: feed.site.clone(),
            feed_url: feed.url.to_string(),
            url: url.map(str::to_owned),
            reason: failure.reason(),
            detail: failure.to_string(),
        }
    }
}

fn items(found: &Found) -> Result<Vec<Item>, Failure> {
    let content_type = found.answer.content_type.as_deref();
    let feed = parse(
        &found.answer.body,
        content_type.and_then(charset),
        &found.url,
    )?;
    Ok(feed.items)
}

/// The parameter `charset` of a content type.
fn charset(content_type: &str) -> Option<&str> {
    let parameters = content_type.split(';').skip(1);
    let value = parameters.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("charset")).then(|| value.trim().trim_matches('"'))
    });
    value.last()
}

fn status(found: &Found, now: DateTime<Utc>) -> Failure {
    let header = found.answer.retry_after.as_deref();
    Failure::Status {
        status: found.answer.status,
        retry_after: header.and_then(|header| retry_after(header, now)),
    }
}

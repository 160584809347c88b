//! A feed or a page with its redirects.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use boundary::guarded;
use chrono::{DateTime, Utc};
use feeds::{Validators, retry_after};
use futures::FutureExt;
use futures::future::BoxFuture;
use text::robots::Robots;
use url::Url;

use crate::failure::Failure;
use crate::hosts::Hosts;
use crate::options::{AGENT, Limits};
use crate::web::{Answer, Web};

/// Bytes of robots.txt that are read: RFC 9309, 2.5, asks for 500 KiB at least.
const ROBOTS_BYTES: usize = 512 << 10;
/// Most bytes of an answer to the request for robots.txt. With more, it could not be read.
const MAX_ROBOTS_BYTES: usize = 4 << 20;

/// The parts of a poll that each request needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Follower<'a> {
    pub(crate) web: &'a Web,
    pub(crate) hosts: &'a Hosts,
    pub(crate) limits: &'a Limits,
}

/// The last answer of a chain of redirects.
#[derive(Debug)]
pub(crate) struct Found {
    /// The URL that answered.
    pub(crate) url: Url,
    /// Where redirects that are permanent led, from the first on.
    pub(crate) moved_to: Option<Url>,
    pub(crate) answer: Answer,
}

impl Follower<'_> {
    /// Requests `url` and what it redirects to. A status of an error is an answer, not a failure.
    pub(crate) async fn get(
        &self,
        url: Url,
        validators: &Validators,
        max_bytes: usize,
        now: DateTime<Utc>,
    ) -> Result<Found, Failure> {
        let mut left = self.limits.time;
        self.chain(url, validators, max_bytes, now, &mut left, true)
            .await
    }

    async fn chain(
        &self,
        mut url: Url,
        validators: &Validators,
        max_bytes: usize,
        now: DateTime<Utc>,
        left: &mut Duration,
        obeys_robots: bool,
    ) -> Result<Found, Failure> {
        let mut visited = HashSet::new();
        let (mut moved_to, mut is_permanent) = (None, true);
        for _ in 0..=self.limits.redirects {
            self.web.check(&url)?;
            let mut delay = None;
            if obeys_robots {
                let robots = self.hosts.robots(&url);
                let robots = robots.get_or_init(|| self.robots(&url, now)).await;
                let robots = robots.as_ref().map_err(Failure::clone)?;
                if !robots.allows(&url) {
                    return Err(Failure::Robots(url.to_string()));
                }
                delay = robots.delay();
            }
            let mut turn = self.hosts.turn(&url, delay).await?;
            let began = Instant::now();
            let answer = self.web.get(&url, validators, max_bytes, *left).await;
            *left = left.saturating_sub(began.elapsed());
            let answer = answer?;
            if let Some(time) = asked_time(&answer, now) {
                turn.close(time);
            }
            drop(turn);
            if ![301, 302, 303, 307, 308].contains(&answer.status) {
                return Ok(Found {
                    url,
                    moved_to,
                    answer,
                });
            }
            let next = answer.location.as_deref().and_then(|to| url.join(to).ok());
            let next = next.ok_or(Failure::Location(answer.status))?;
            is_permanent &= [301, 308].contains(&answer.status);
            if is_permanent {
                moved_to = Some(next.clone());
            }
            // A redirect to the same URL may set a cookie and expect it, which we have not.
            if !visited.insert(url) || visited.contains(&next) {
                break;
            }
            url = next;
        }
        Err(Failure::Redirects(self.limits.redirects))
    }

    /// Reads the rules of a host. Boxed, because it follows redirects too.
    fn robots<'a>(
        &'a self,
        url: &'a Url,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Robots, Failure>> {
        let read = async move {
            let none = Validators::default();
            let mut left = self.limits.time;
            let url = url.join("/robots.txt");
            let url = url.map_err(|error| Failure::Scheme(error.to_string()))?;
            let found = self.chain(url, &none, MAX_ROBOTS_BYTES, now, &mut left, false);
            let (status, body) = match found.await {
                Ok(found) => (Some(found.answer.status), found.answer.body),
                // The host itself cannot be reached, which says more than that its rules cannot be read.
                Err(
                    failure @ (Failure::Address(_) | Failure::Connection(_) | Failure::Time(_)),
                ) => {
                    return Err(failure);
                }
                Err(_) => (None, Vec::new()),
            };
            let body = &body[..body.len().min(ROBOTS_BYTES)];
            Ok(guarded("robots.txt", body, || {
                Robots::of(status, body, AGENT)
            })?)
        };
        read.boxed()
    }
}

/// The time for which a host that is overloaded wants no requests.
pub(crate) fn asked_time(answer: &Answer, now: DateTime<Utc>) -> Option<Duration> {
    let header = answer.retry_after.as_deref()?;
    [429, 503]
        .contains(&answer.status)
        .then(|| retry_after(header, now))?
}

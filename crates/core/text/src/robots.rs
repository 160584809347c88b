//! Checks whether the robots.txt of a host allows a crawler a URL, by RFC 9309. Matching is that of `texting_robots`; this
//! module decides what a missing file and a failing server mean.
//!
//! ```
//! use text::robots::Robots;
//! use url::Url;
//!
//! let url = Url::parse("http://tea.example/private/list")?;
//! let robots = Robots::of(Some(200), b"User-agent: *\nDisallow: /private\n", "tea-bot");
//! assert!(!robots.allows(&url));
//! assert!(Robots::of(Some(404), b"", "tea-bot").allows(&url));
//! # Ok::<(), url::ParseError>(())
//! ```
//!
//! # Non-goals
//!
//! It fetches nothing, and it reads no robots `meta` elements and headers.

use std::time::Duration;

use texting_robots::Robot;
use url::Url;

/// Longest delay between requests that robots.txt can ask for. Hosts that ask for more would hold a poll
/// for hours, and are asked this often.
const LONGEST_DELAY: f32 = 60.0;

/// The rules of one scheme, host and port.
#[derive(Debug)]
pub struct Robots(Rules);

#[derive(Debug)]
enum Rules {
    All,
    None,
    Of(Box<Robot>),
}

impl Robots {
    /// Reads the answer to the request for robots.txt: its status, or `None` without an answer.
    /// A missing file allows everything, and a server that fails allows nothing (RFC 9309, 2.3.1).
    pub fn of(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        Self(match status {
            Some(200..=299) => {
                Robot::new(agent, body).map_or(Rules::None, |robot| Rules::Of(Box::new(robot)))
            }
            Some(429) => Rules::None,
            Some(400..=499) => Rules::All,
            _ => Rules::None,
        })
    }

    /// Whether a URL may be requested.
    pub fn allows(&self, url: &Url) -> bool {
        match &self.0 {
            Rules::All => true,
            Rules::None => false,
            Rules::Of(robot) => robot.allowed(url.as_str()),
        }
    }

    /// The time between two requests that the host asks for.
    pub fn delay(&self) -> Option<Duration> {
        let Rules::Of(robot) = &self.0 else {
            return None;
        };
        let seconds = robot.delay.filter(|seconds| *seconds >= 0.0)?;
        Some(Duration::from_secs_f32(seconds.min(LONGEST_DELAY)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(status: Option<u16>, body: &str) -> (bool, bool) {
        let robots = Robots::of(status, body.as_bytes(), "urltree");
        let allows = |path: &str| {
            let url = Url::parse("http://www.gazette.example").unwrap();
            robots.allows(&url.join(path).unwrap())
        };
        (allows("/2011/trees"), allows("/private/list?a=1"))
    }

    #[test]
    fn rules_of_the_agent_come_before_those_for_all() {
        let rules = "User-agent: *\nDisallow: /\n\nUser-agent: urltree\nDisallow: /private\n";
        assert_eq!(allowed(Some(200), rules), (true, false));
        assert_eq!(
            allowed(Some(200), "User-agent: *\nDisallow: /"),
            (false, false)
        );
        assert_eq!(allowed(Some(200), "<html>no rules</html>"), (true, true));
        assert_eq!(allowed(Some(200), ""), (true, true));
    }

    #[test]
    fn a_missing_file_allows_and_a_failing_server_denies() {
        for (status, all) in [
            (Some(404), true),
            (Some(403), true),
            (Some(429), false),
            (Some(503), false),
            (None, false),
        ] {
            assert_eq!(allowed(status, ""), (all, all), "{status:?}");
        }
    }

    #[test]
    fn a_delay_is_bounded() {
        let delay = |seconds: &str| {
            let rules = format!("User-agent: *\nCrawl-delay: {seconds}\n");
            Robots::of(Some(200), rules.as_bytes(), "urltree").delay()
        };
        assert_eq!(delay("2.5"), Some(Duration::from_millis(2_500)));
        assert_eq!(delay("86400"), Some(Duration::from_secs(60)));
        for hostile in ["-1", "NaN", "inf", "soon", "1e99"] {
            assert!(delay(hostile) <= Some(Duration::from_secs(60)), "{hostile}");
        }
    }
}

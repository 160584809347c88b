//! Checks whether the robots.txt of a host allows a crawler a URL, by RFC 9309, with the lenient reading
//! of lines that Google's parser has.
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

mod lines;
mod pattern;
mod verdict;

use std::time::Duration;

use url::Url;

use self::lines::{Line, lines};
use self::pattern::{Pattern, path};
use self::verdict::Verdict;

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
    Of(Group),
}

/// The rules of all groups that name one agent.
#[derive(Debug, Default)]
struct Group {
    rules: Vec<(Verdict, Pattern)>,
    delay: Option<f32>,
}

impl Robots {
    /// Reads the answer to the request for robots.txt: its status, or `None` without an answer.
    /// A missing file allows everything, and a server that fails allows nothing (RFC 9309, 2.3.1).
    /// `agent` is the product token of the crawler, without a version.
    pub fn of(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        Self(match status {
            Some(200..=299) => Rules::Of(Group::of(body, agent)),
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
            Rules::Of(group) => group.allows(url),
        }
    }

    /// The time between two requests that the host asks for.
    pub fn delay(&self) -> Option<Duration> {
        let Rules::Of(group) = &self.0 else {
            return None;
        };
        let seconds = group.delay.filter(|seconds| *seconds >= 0.0)?;
        Some(Duration::from_secs_f32(seconds.min(LONGEST_DELAY)))
    }
}

impl Group {
    /// The rules for `agent`, or those for all agents where no group names it.
    fn of(body: &[u8], agent: &str) -> Self {
        let (mut specific, mut global) = (None::<Self>, Self::default());
        let mut lines = lines(body).peekable();
        while lines.peek().is_some() {
            let (mut names_agent, mut names_all, mut has_rules) = (false, false, false);
            let mut group = Self::default();
            // Only rules end the names of a group: a name after a rule begins the next one.
            while let Some(line) = lines.next_if(|line| !(has_rules && line.is_agent())) {
                match line {
                    Line::Agent(name) => {
                        names_agent |= name.eq_ignore_ascii_case(agent);
                        names_all |= name == "*";
                    }
                    Line::Rule(verdict, pattern) => {
                        has_rules = true;
                        group.rules.push((verdict, pattern));
                    }
                    Line::Delay(seconds) => group.delay = group.delay.or(Some(seconds)),
                }
            }
            if names_agent {
                specific.get_or_insert_default().extend(group);
            } else if names_all {
                global.extend(group);
            }
        }
        specific.unwrap_or(global)
    }

    fn extend(&mut self, other: Self) {
        self.rules.extend(other.rules);
        self.delay = self.delay.or(other.delay);
    }

    fn allows(&self, url: &Url) -> bool {
        // The rules themselves may always be read (RFC 9309, 2.2.2).
        if url.path() == "/robots.txt" {
            return true;
        }
        let path = path(url);
        let matching = self.rules.iter().filter_map(|(verdict, pattern)| {
            let length = pattern.matched(&path, *verdict)?;
            Some((length, *verdict))
        });
        // The longest pattern decides. An empty one does not count.
        let strongest = matching.filter(|(length, _)| *length > 0).max();
        strongest.is_none_or(|(_, verdict)| verdict == Verdict::Allow)
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
    fn groups_are_found_by_the_agent() {
        for (rules, expected) in [
            (
                "User-agent: *\nDisallow: /\n\nUser-agent: urltree\nDisallow: /private\n",
                (true, false),
            ),
            (
                "User-agent: urltree\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n",
                (true, false),
            ),
            ("User-agent: *\nDisallow: /", (false, false)),
            (
                "User-agent: urltree\n\nUser-agent: *\nDisallow: /",
                (false, false),
            ),
            (
                "User-agent: urltree\nDisallow:\n\nUser-agent: *\nDisallow: /",
                (true, true),
            ),
            ("User-agent: other\nDisallow: /", (true, true)),
            // Groups of one agent are one group, and other records do not end one.
            (
                "User-agent: urltree\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: URLTREE\nDisallow: /private",
                (true, false),
            ),
            (
                "User-agent: urltree\nCrawl-delay: 5\nSitemap: /s\nHost: a\nUser-agent: x\nDisallow: /private",
                (true, false),
            ),
            ("Disallow: /\nUser-agent: x\nDisallow: /", (true, true)),
            // The product token ends at the first letter that it cannot have.
            (
                "User-agent: UrlTree/2.1 (x)\nDisallow: /private",
                (true, false),
            ),
            ("User-agent: urltree bot\nDisallow: /private", (true, false)),
            ("User-agent: urltree-bot\nDisallow: /private", (true, true)),
            ("User-agent: url\nDisallow: /private", (true, true)),
            ("User-agent: * # all\nDisallow: /private", (true, false)),
            ("User-agent: * and more\nDisallow: /private", (true, false)),
            ("User-agent: *bot\nDisallow: /private", (true, true)),
            ("<html>no rules</html>", (true, true)),
            ("", (true, true)),
        ] {
            assert_eq!(allowed(Some(200), rules), expected, "{rules}");
        }
    }

    #[test]
    fn lines_are_read_as_people_write_them() {
        for line in [
            "Disallow: /private",
            "  DISALLOW  :  /private  ",
            "disallow:/private#x",
            "Disallow /private",
            "Dissallow: /private",
            "Disalow: /private",
            "Diasllow: /private",
            "Disallaw: /private",
            "Disallowed: /private",
        ] {
            for (name, end) in [
                ("User-agent:", "\n"),
                ("useragent:", "\r\n"),
                ("User agent:", "\r"),
                ("\u{feff}User-agent", "\n"),
            ] {
                let rules = format!("{name} urltree{end}{end}{line}{end}");
                assert_eq!(allowed(Some(200), &rules), (true, false), "{rules:?}");
            }
        }
        for line in [
            "Disallow /private x",
            ": /private",
            "/private",
            "Disallow: private",
            "#Disallow: /private",
        ] {
            let rules = format!("User-agent: *\n{line}");
            assert_eq!(allowed(Some(200), &rules), (true, true), "{rules:?}");
        }
    }

    #[test]
    fn the_longest_rule_decides_and_of_equal_ones_the_one_that_allows() {
        let allows = |rules: &str, address: &str| {
            let body = format!("User-agent: *\n{}", rules.replace(", ", "\n"));
            let url = Url::parse("http://www.gazette.example/")
                .unwrap()
                .join(address)
                .unwrap();
            Robots::of(Some(200), body.as_bytes(), "urltree").allows(&url)
        };
        for (rules, address, expected) in [
            ("Disallow: /, Allow: /p", "/page", true),
            ("Allow: /p, Disallow: /", "/other", false),
            ("Disallow: /a, Allow: /a", "/a/b", true),
            ("Allow: /a, Disallow: /*.html", "/a.html", false),
            ("Disallow: /, Allow: /$", "/", true),
            ("Disallow: /, Allow: /$", "/a", false),
            ("Disallow: /*.php$", "/a.php", false),
            ("Disallow: /*.php$", "/a.php?b=1", true),
            ("Disallow: /*.php$", "/a.php/b.php", false),
            ("Disallow: *.php", "/a.php5", false),
            ("Disallow: /a*b*c", "/a1b2c3", false),
            ("Disallow: /a*b*c", "/a1c2b3", true),
            ("Disallow: /a*b$", "/ab", false),
            ("Disallow: /ab*b$", "/ab", true),
            ("Disallow: /a*", "/a", false),
            ("Disallow: /a$*", "/a", true),
            ("Disallow: /a$b", "/a$b", false),
            ("Disallow: /a$b", "/a", true),
            ("Disallow: /?a=*&b=", "/?a=1&b=2", false),
            ("Disallow: /A", "/a", true),
            ("Disallow: /", "/robots.txt", true),
            // Escapes are equal in either case, and letters equal their escapes.
            ("Disallow: /a%3cb", "/a%3Cb", false),
            ("Disallow: /a%3Cb", "/a%3cb", false),
            ("Disallow: /caf\u{e9}", "/caf%c3%a9", false),
            ("Disallow: /caf%C3%A9", "/caf\u{e9}", false),
            ("Disallow: /%7ejoe", "/~joe/a", false),
            ("Disallow: /~joe", "/%7Ejoe/a", false),
            ("Disallow: /a%2Fb", "/a/b", true),
            ("Disallow: /a%2Ab", "/axb", true),
            ("Disallow: /100%", "/100%", false),
            // A rule that allows is not widened.
            ("Disallow: /, Allow: /%7ejoe", "/~joe/a", false),
            ("Disallow: /, Allow: /a/index.html", "/a/", true),
            ("Disallow: /, Allow: /a/index.html", "/a/b", false),
        ] {
            assert_eq!(allows(rules, address), expected, "{rules} {address}");
        }
    }

    #[test]
    fn a_long_line_and_a_hostile_pattern_end() {
        let stars = "*a".repeat(8_000);
        let path = "/".to_owned() + &"a".repeat(6_000) + "b";
        let rules = format!("User-agent: *\nDisallow: /{stars}$\nDisallow: /private");
        let robots = Robots::of(Some(200), rules.as_bytes(), "urltree");
        let url = Url::parse("http://www.gazette.example").unwrap();
        assert!(robots.allows(&url.join(&path).unwrap()));
        assert!(!robots.allows(&url.join("/private").unwrap()));
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
        let later = "User-agent: x\nCrawl-delay: 3\nUser-agent: urltree\nDisallow: /a";
        let of_group = Robots::of(Some(200), later.as_bytes(), "urltree").delay();
        assert_eq!(of_group, Some(Duration::from_secs(3)));
        for hostile in ["-1", "NaN", "inf", "soon", "1e99"] {
            assert!(delay(hostile) <= Some(Duration::from_secs(60)), "{hostile}");
        }
    }
}

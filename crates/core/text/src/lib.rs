//! Facts about one text: its language, counts that tell good text from bad, and a signature for near
//! duplicates. Beside them, what a robots.txt allows.
//!
//! ```
//! use text::near_duplicates::Signature;
//! use text::robots::Robots;
//! use text::{language, signals};
//!
//! let text = "Le thé est chaud, mais personne ne le boit avant le soir. Les tasses restent sur la table,
//!             et les invités parlent du temps qu'il fera demain.";
//! assert_eq!(language::detect(text).expect("a language").code, "fr");
//! assert_eq!(signals::signals(text).duplicate_lines, 0.0);
//!
//! let copy = Signature::of(&text.to_lowercase()).expect("five words");
//! assert_eq!(Signature::of(text).expect("five words").similarity(&copy), 1.0);
//!
//! let robots = Robots::of(Some(200), b"User-agent: *\nDisallow: /private\n", "tea-bot");
//! let url = url::Url::parse("http://tea.example/private/list").expect("a URL");
//! assert!(!robots.allows(&url));
//! ```
//!
//! # Non-goals
//!
//! - It has no thresholds and drops no text.
//! - It knows no site and no other page. A caller joins near duplicates by their signatures.
//! - It fetches nothing, and it reads no HTML.

pub mod language;
pub mod near_duplicates;
pub mod robots;
pub mod signals;

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

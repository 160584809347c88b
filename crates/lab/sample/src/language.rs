//! Languages: tables of phrases for sentences, and the labels of templates.

mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod russian;
mod slovene;
mod spanish;

use std::fmt::Write;

use chrono::{Datelike, NaiveDate};

use crate::dice::Dice;

pub(crate) use chinese::CHINESE;
pub(crate) use english::ENGLISH;
pub(crate) use french::FRENCH;
pub(crate) use german::GERMAN;
pub(crate) use japanese::JAPANESE;
pub(crate) use russian::RUSSIAN;
pub(crate) use slovene::SLOVENE;
pub(crate) use spanish::SPANISH;

/// Phrases of one language.
///
/// Patterns contain placeholders in braces. `{who}`, `{does}` and `{tail}` are phrases
/// that fit together in any combination (subjects are singular, verbs in a tense without
/// gender). `{name}`, `{place}`, `{day}` and `{month}` are a person, a town, a weekday and
/// a month; `{n}` is a number of one or two digits, `{big}` of three or four.
#[derive(Debug)]
pub(crate) struct Language {
    /// The ISO 639-1 code.
    pub(crate) code: &'static str,
    /// The separator of sentences, and of the words of a label.
    pub(crate) space: &'static str,
    /// Subjects.
    pub(crate) who: &'static [&'static str],
    /// Predicates.
    pub(crate) does: &'static [&'static str],
    /// Adverbial clauses.
    pub(crate) tails: &'static [&'static str],
    /// Patterns of headlines.
    pub(crate) headlines: &'static [&'static str],
    /// Patterns of sentences.
    pub(crate) sentences: &'static [&'static str],
    /// Patterns of quotations and of readers' comments.
    pub(crate) opinions: &'static [&'static str],
    /// Short paragraphs that occur in many articles.
    pub(crate) short: &'static [&'static str],
    /// Headings inside articles.
    pub(crate) subheads: &'static [&'static str],
    /// Patterns of captions.
    pub(crate) captions: &'static [&'static str],
    pub(crate) first_names: &'static [&'static str],
    pub(crate) last_names: &'static [&'static str],
    /// The pattern of a full name.
    pub(crate) full_name: &'static str,
    pub(crate) places: &'static [&'static str],
    pub(crate) weekdays: [&'static str; 7],
    pub(crate) months: [&'static str; 12],
    /// The pattern of a date: `{weekday}`, `{d}`, `{m}`, `{month}`, `{y}`.
    pub(crate) date: &'static str,
    /// Sections, each with its name in URLs.
    pub(crate) sections: [(&'static str, &'static str); 6],
    /// Tags, also used as entries of submenus.
    pub(crate) topics: &'static [&'static str],
    pub(crate) labels: Labels,
}

/// The texts of a template. Their placeholders are those of [`Language`], and `{site}`,
/// `{date}`, `{topic}` and `{count}`.
#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) home: &'static str,
    pub(crate) search: &'static str,
    pub(crate) by: &'static str,
    pub(crate) published: &'static str,
    pub(crate) comments: &'static str,
    pub(crate) comment_count: &'static str,
    pub(crate) reply: &'static str,
    pub(crate) comment_rules: &'static str,
    pub(crate) most_read: &'static str,
    pub(crate) latest: &'static str,
    pub(crate) related: &'static str,
    pub(crate) read_more: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) tags: &'static str,
    pub(crate) share: &'static [&'static str],
    pub(crate) advert: &'static str,
    /// Heading, sentence, button.
    pub(crate) newsletter: [&'static str; 3],
    /// Sentence, button.
    pub(crate) cookies: [&'static str; 2],
    /// Question and answers.
    pub(crate) poll: [&'static str; 4],
    pub(crate) weather: &'static str,
    pub(crate) archive: &'static str,
    pub(crate) recent_comments: &'static str,
    pub(crate) author: &'static str,
    pub(crate) footer: &'static [&'static str],
    pub(crate) rights: &'static str,
    pub(crate) not_found: [&'static str; 2],
}

/// The people and the town of one story.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) names: [String; 3],
    pub(crate) place: &'static str,
}

impl Language {
    pub(crate) fn cast(&self, dice: &mut Dice) -> Cast {
        Cast {
            names: std::array::from_fn(|_| self.name(dice)),
            place: dice.one(self.places),
        }
    }

    pub(crate) fn name(&self, dice: &mut Dice) -> String {
        self.full_name
            .replace("{first}", dice.one(self.first_names))
            .replace("{last}", dice.one(self.last_names))
    }

    /// Returns a sentence about an author.
    pub(crate) fn about(&self, author: &str, dice: &mut Dice) -> String {
        self.labels
            .author
            .replace("{name}", author)
            .replace("{topic}", dice.one(self.topics))
            .replace("{place}", dice.one(self.places))
    }

    pub(crate) fn headline(&self, dice: &mut Dice, cast: &Cast) -> String {
        let pattern = dice.one(self.headlines);
        self.fill(pattern, dice, cast)
    }

    /// Returns a paragraph of an article.
    pub(crate) fn paragraph(&self, dice: &mut Dice, cast: &Cast, sentences: usize) -> String {
        self.text(self.sentences, dice, cast, sentences)
    }

    /// Returns a quotation or a comment.
    pub(crate) fn opinion(&self, dice: &mut Dice, cast: &Cast, sentences: usize) -> String {
        self.text(self.opinions, dice, cast, sentences)
    }

    fn text(&self, patterns: &[&str], dice: &mut Dice, cast: &Cast, sentences: usize) -> String {
        let mut text = String::new();
        for sentence in 0..sentences {
            if sentence > 0 {
                text.push_str(self.space);
            }
            let pattern = dice.one(patterns);
            text.push_str(&self.fill(pattern, dice, cast));
        }
        text
    }

    /// Fills the placeholders of a pattern, and capitalises the first letter.
    pub(crate) fn fill(&self, pattern: &str, dice: &mut Dice, cast: &Cast) -> String {
        let mut text = String::with_capacity(160);
        self.fill_into(&mut text, pattern, dice, cast);
        capital(&text)
    }

    fn fill_into(&self, out: &mut String, pattern: &str, dice: &mut Dice, cast: &Cast) {
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            match name {
                "who" => self.fill_into(out, dice.one(self.who), dice, cast),
                "does" => self.fill_into(out, dice.one(self.does), dice, cast),
                "tail" => self.fill_into(out, dice.one(self.tails), dice, cast),
                "name" => out.push_str(&cast.names[dice.below(cast.names.len())]),
                "place" => out.push_str(cast.place),
                "day" => out.push_str(dice.one(&self.weekdays)),
                "month" => out.push_str(dice.one(&self.months)),
                "n" => push_number(out, dice.between(3, 98)),
                _ => push_number(out, dice.between(12, 799) * 10 + dice.below(10)),
            }
            rest = after;
        }
        out.push_str(rest);
    }

    pub(crate) fn date(&self, date: NaiveDate) -> String {
        let weekday = self.weekdays[date.weekday().num_days_from_monday() as usize];
        self.date
            .replace("{weekday}", weekday)
            .replace("{d}", &date.day().to_string())
            .replace("{month}", self.months[date.month0() as usize])
            .replace("{m}", &date.month().to_string())
            .replace("{y}", &date.year().to_string())
    }
}

fn push_number(out: &mut String, number: usize) {
    let _ = write!(out, "{number}");
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

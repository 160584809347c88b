//! Invented sites: a template, and articles of random syllables.

use std::fmt::Write;

use super::Row;

/// A site with one template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'h> {
    pub(crate) host: &'h str,
}

impl Site<'_> {
    /// Article `number` of the site, fetched at `time`.
    pub(crate) fn article(&self, number: u64, time: &str) -> Row {
        Row::page(time, self.url(number), self.html(number))
    }

    /// `count` articles, one a day at noon from `2011-10-01` on.
    pub(crate) fn daily_articles(&self, count: u64) -> Vec<Row> {
        let first = Row::page("2011-10-01T12:00:00", "", "");
        (0..count)
            .map(|number| Row {
                url: Some(self.url(number)),
                html: Some(self.html(number).into_bytes()),
                ..first.after(number as i64, 0)
            })
            .collect()
    }

    /// The URL of the article.
    pub(crate) fn url(&self, number: u64) -> String {
        let section = ["news", "sport"][number as usize % 2];
        format!("http://{}/{section}/{number}.html", self.host)
    }

    /// The page: template and article.
    pub(crate) fn html(&self, number: u64) -> String {
        self.page(
            &sentence(self.seed(number), 5),
            &[
                paragraph(self.seed(number) + 1),
                paragraph(self.seed(number) + 2),
            ],
        )
    }

    /// The template around a headline and paragraphs.
    pub(crate) fn page(&self, headline: &str, paragraphs: &[String]) -> String {
        let mut page = format!(
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{headline}</title></head>\n\
             <body><header><a href=\"/\">{name}</a></header>\n\
             <nav><ul><li><a href=\"/news\">Latest news</a></li>\
             <li><a href=\"/sport\">All the sport</a></li></ul></nav>\n\
             <main><h1>{headline}</h1>",
            name = self.name(),
        );
        for paragraph in paragraphs {
            // Writing to a string cannot fail.
            let _ = writeln!(page, "<p>{paragraph}</p>");
        }
        page + &format!(
            "</main><aside><h2>Most read</h2><p>{}</p></aside>\n\
             <footer><p>All rights of {} reserved</p></footer></body></html>\n",
            self.sidebar(),
            self.name(),
        )
    }

    /// The name in the header of every page.
    pub(crate) fn name(&self) -> String {
        format!("Welcome to {}", self.host)
    }

    /// The paragraph in the sidebar of every page.
    pub(crate) fn sidebar(&self) -> String {
        paragraph(self.seed(u64::MAX))
    }

    fn seed(&self, number: u64) -> u64 {
        let host = (self.host.bytes()).fold(7, |seed: u64, byte| mix(seed ^ u64::from(byte)));
        mix(host ^ number) & (u64::MAX >> 1)
    }
}

/// Some 200 characters of text, different for every seed.
pub(crate) fn paragraph(seed: u64) -> String {
    format!("{}. {}.", sentence(seed, 14), sentence(mix(seed), 14))
}

fn sentence(seed: u64, words: usize) -> String {
    let mut state = seed;
    let mut sentence = String::new();
    for _ in 0..words {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        state = mix(state);
        let syllables = 2 + state % 3;
        for syllable in 0..syllables {
            let sound = (state >> (8 + 8 * syllable)) as usize;
            sentence.push_str(["b", "d", "k", "l", "m", "n", "r", "s", "t", "v"][sound % 10]);
            sentence.push_str(["a", "e", "i", "o", "u"][sound / 10 % 5]);
        }
    }
    sentence
}

/// The increment of the state of SplitMix64.
pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number of a SplitMix64 generator in the state `seed`.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(GAMMA);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

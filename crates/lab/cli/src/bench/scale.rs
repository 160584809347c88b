//! The growth of cost with the number of pages: up to millions of small pages on many
//! sites of very different sizes.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use arrow::array::{ArrayRef, RecordBatch, StringBuilder, TimestampMicrosecondBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use super::runs::{Program, Runs};
use super::table::table;

/// Mean number of pages of a site.
const PAGES_PER_SITE: u64 = 100;
const DAYS: u64 = 100;
const DAY_MICROS: u64 = 86_400_000_000;
const START_MICROS: u64 = 1_317_427_200_000_000;

const PAGES_PER_FILE: u64 = 100_000;
const PAGES_PER_ROW_GROUP: u64 = 10_000;

/// The distribution of pages over sites.
#[derive(Clone, Copy, PartialEq)]
enum SiteSizes {
    /// The n-th largest site has 1/n of the pages of the largest.
    HeavyTailed,
    /// One site has half of all pages; the others are heavy-tailed.
    HalfOnOne,
}

/// Number of runs with at most [`FEW`] pages, of which the median counts. A run of few pages
/// takes seconds, over which the speed of the machine varies more than over minutes.
const ROUNDS_OF_FEW: usize = 7;
const FEW: u64 = 100_000;

/// Measures jobs over 1 %, 10 % and all of `pages` pages, on two cores.
pub(crate) fn measure(urltree: &Program, folder: &Path, pages: u64) -> Result<String> {
    let cases = [
        (pages / 100, SiteSizes::HeavyTailed),
        (pages / 10, SiteSizes::HeavyTailed),
        (pages / 10, SiteSizes::HalfOnOne),
        (pages, SiteSizes::HeavyTailed),
    ];
    let mut rows = Vec::new();
    for (pages, sizes) in cases {
        tracing::warn!("{pages} pages");
        let archive = folder.join("archive");
        std::fs::create_dir(&archive)?;
        let bytes = write(&archive, pages, sizes)?;
        let rounds = if pages <= FEW { ROUNDS_OF_FEW } else { 1 };
        let mut runs = Runs::default();
        for _ in 0..rounds {
            let output = folder.join("tables");
            runs.push(urltree.job(
                &archive,
                &output,
                &[
                    "run.threads=2",
                    "run.memory_limit=1GiB",
                    "run.chunk_bytes=16GiB",
                ],
            )?);
            std::fs::remove_dir_all(&output)?;
        }
        rows.push(row(pages, sizes, bytes, &runs));
        std::fs::remove_dir_all(&archive)?;
    }
    let head = [
        "pages",
        "sites",
        "HTML, MB",
        "CPU, µs a page",
        "of it parsing",
        "pages/s",
        "peak MB",
        "spilled MB",
        "shuffled MB",
    ];
    Ok(table(&head, rows))
}

fn row(pages: u64, sizes: SiteSizes, bytes: u64, runs: &Runs) -> Vec<String> {
    let a_page = |seconds: f64| format!("{:.0}", seconds / pages as f64 * 1e6);
    let one = match sizes {
        SiteSizes::HeavyTailed => "",
        SiteSizes::HalfOnOne => ", half on one site",
    };
    vec![
        format!("{pages}{one}"),
        sites(pages).to_string(),
        format!("{:.0}", bytes as f64 / 1e6),
        a_page(runs.cpu_seconds()),
        a_page(runs.operator("Block", "seconds")),
        format!("{:.0}", pages as f64 / runs.seconds()),
        format!("{:.0}", runs.peak_bytes() / 1e6),
        format!("{:.0}", runs.operator("SortExec", "spilled_bytes") / 1e6),
        format!("{:.0}", runs.operator("RepartitionExec", "bytes") / 1e6),
    ]
}

fn sites(pages: u64) -> u64 {
    (pages / PAGES_PER_SITE).max(1)
}

/// Writes an archive in time order. Returns the bytes of HTML in it.
fn write(folder: &Path, pages: u64, sizes: SiteSizes) -> Result<u64> {
    let mut generator = PageGenerator::new(sites(pages), sizes);
    let mut html_bytes = 0;
    let mut page = 0;
    while page < pages {
        let file = File::create(folder.join(format!("{page:09}.parquet")))?;
        let mut writer = ArrowWriter::try_new(file, schema(), Some(properties()))?;
        let end = pages.min(page + PAGES_PER_FILE);
        while page < end {
            let group = page..end.min(page + PAGES_PER_ROW_GROUP);
            page = group.end;
            writer.write(&generator.rows(group, pages, &mut html_bytes)?)?;
            writer.flush()?;
        }
        writer.close()?;
    }
    Ok(html_bytes)
}

fn schema() -> SchemaRef {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    Arc::new(Schema::new(vec![
        Field::new("fetched_at", time, false),
        Field::new("url", DataType::Utf8, false),
        Field::new("html", DataType::Utf8, false),
    ]))
}

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build()
}

/// Generates pages in time order.
struct PageGenerator {
    sites: u64,
    sizes: SiteSizes,
    random: Pcg64Mcg,
    words: Vec<String>,
}

impl PageGenerator {
    fn new(sites: u64, sizes: SiteSizes) -> Self {
        let mut random = Pcg64Mcg::new(0xcafe_f00d);
        let words = (0..4_000).map(|_| word(&mut random)).collect();
        Self {
            sites,
            sizes,
            random,
            words,
        }
    }

    fn rows(
        &mut self,
        rows: std::ops::Range<u64>,
        pages: u64,
        html_bytes: &mut u64,
    ) -> Result<RecordBatch> {
        let (mut urls, mut htmls) = (StringBuilder::new(), StringBuilder::new());
        let mut times = TimestampMicrosecondBuilder::new().with_timezone("UTC");
        let mut html = String::new();
        for page in rows {
            let site = self.site();
            html.clear();
            self.page(&mut html, site, page)?;
            *html_bytes += html.len() as u64;
            htmls.append_value(&html);
            urls.append_value(format!(
                "http://www.site-{site}.example/news/{}/{page}.html",
                page % 7
            ));
            let micros = START_MICROS + DAYS * DAY_MICROS / pages * page;
            times.append_value(i64::try_from(micros)?);
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(times.finish()),
            Arc::new(urls.finish()),
            Arc::new(htmls.finish()),
        ];
        Ok(RecordBatch::try_new(schema(), columns)?)
    }

    /// Draws the number of the site of the next page.
    fn site(&mut self) -> u64 {
        if self.sizes == SiteSizes::HalfOnOne && self.below(2) == 0 {
            return 0;
        }
        // The inverse of the distribution function: sites up to n have a share of
        // ln(n + 1) / ln(sites + 1).
        let share = self.below(1 << 32) as f64 / 4_294_967_296.0;
        let site = (share * ((self.sites + 1) as f64).ln()).exp();
        site as u64
    }

    fn page(&mut self, html: &mut String, site: u64, page: u64) -> Result<()> {
        let title = self.sentence(6);
        write!(
            html,
            "<!DOCTYPE html><html><head><title>{title} - Site {site}</title></head><body>\
             <ul class=\"menu\"><li><a href=\"/\">Site {site}</a></li><li><a href=\"/news\">News of {site}</a></li>\
             <li><a href=\"/about\">About us</a></li></ul>\
             <div class=\"story\"><h1>{title}</h1><p class=\"date\">Number {page}</p>"
        )?;
        for _ in 0..3 {
            let paragraph = self.sentence(40);
            write!(html, "<p>{paragraph}</p>")?;
        }
        write!(
            html,
            "</div><div class=\"footer\"><p>All rights of site {site} are its own</p>\
             <a href=\"/contact\">Contact</a></div></body></html>"
        )?;
        Ok(())
    }

    fn sentence(&mut self, words: usize) -> String {
        let mut sentence = String::with_capacity(words * 8);
        for _ in 0..words {
            let word = self.below(self.words.len() as u64) as usize;
            sentence.push_str(&self.words[word]);
            sentence.push(' ');
        }
        sentence.truncate(sentence.trim_end().len());
        sentence.push('.');
        sentence
    }

    fn below(&mut self, sides: u64) -> u64 {
        below(&mut self.random, sides)
    }
}

fn word(random: &mut Pcg64Mcg) -> String {
    let syllables = 1 + below(random, 4);
    (0..syllables)
        .flat_map(|_| {
            let consonant = b"bdfgklmnprstvz"[below(random, 14) as usize];
            let vowel = b"aeiou"[below(random, 5) as usize];
            [char::from(consonant), char::from(vowel)]
        })
        .collect()
}

fn below(random: &mut Pcg64Mcg, sides: u64) -> u64 {
    let wide = u128::from(random.next_u64()) * u128::from(sides);
    (wide >> 64) as u64
}

//! The overview: all dates of a report.

use askama::Template;

use crate::charts::{bars, line};
use crate::error::ReportError;
use crate::format::{bytes, grouped, percent, visible};
use crate::head::{Chart, Head};
use crate::listed::Count;
use crate::show;
use crate::site::Site;
use crate::texts::Texts;

/// All dates of a report.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    /// The job: its file.
    pub job: String,
    /// The dates in words, and the version of the program.
    pub dates: String,
    /// The dates with a row in `runs`, in order.
    pub days: Vec<Day>,
    /// Duplicates by the step that found them, in the order of steps.
    pub duplicates: Vec<Count>,
    /// Quarantined rows by reason, the most frequent first.
    pub quarantine: Vec<Count>,
    /// Domains with documents.
    pub domains: u64,
    /// The texts of the documents.
    pub texts: Texts,
}

/// A row of `runs`.
#[derive(Debug, Clone, Default)]
pub struct Day {
    /// YYYY-MM-DD
    pub date: String,
    /// The run that wrote it.
    pub run_id: String,
    /// The time when that run began, in microseconds since 1970.
    pub started_at: i64,
    /// Rows of the archive.
    pub rows: u64,
    /// Rows that are the first of their URL key.
    pub unique: u64,
    /// Rows with the URL key of an earlier one.
    pub duplicates: u64,
    /// Duplicates that brought unseen text.
    pub revisions: u64,
    /// Rows with a blocklisted URL.
    pub blocklisted: u64,
    /// Rows that could not be processed.
    pub quarantined: u64,
    /// Bytes of HTML that were read.
    pub html_bytes: u64,
    /// Bytes of text that were written.
    pub text_bytes: u64,
    /// Seconds of the chunk in which the date was processed. All dates of a chunk have the same.
    pub seconds: f64,
    /// Most memory of the process up to the end of the chunk, in bytes.
    pub memory: Option<u64>,
    /// Bytes that the chunk spilled.
    pub spilled: Option<u64>,
}

impl Day {
    fn cells(&self) -> [String; 11] {
        let or_dash = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), bytes);
        [
            grouped(self.rows),
            grouped(self.unique),
            grouped(self.duplicates),
            grouped(self.revisions),
            grouped(self.blocklisted),
            grouped(self.quarantined),
            bytes(self.html_bytes),
            bytes(self.text_bytes),
            format!("{:.1}", self.seconds),
            or_dash(self.memory),
            or_dash(self.spilled),
        ]
    }

    /// Whether two dates were processed in one chunk: `runs` has its costs in the row of each of its dates.
    fn is_in_chunk_of(&self, other: &Self) -> bool {
        self.run_id == other.run_id && self.seconds.to_bits() == other.seconds.to_bits()
    }
}

impl Overview {
    /// Renders the page.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(&self, site: Site) -> Result<String, ReportError> {
        let template = OverviewTemplate {
            head: Head::new(
                site,
                format!("{} – overview", self.name()),
                &self.dates,
                "Overview",
                "",
            ),
            charts: self.charts(),
            overview: self,
        };
        template.render().map_err(ReportError::of("overview.html"))
    }

    fn name(&self) -> String {
        visible(&self.job).into_owned()
    }

    fn sum(&self, of: fn(&Day) -> u64) -> u64 {
        self.days.iter().map(of).sum()
    }

    /// MB of HTML per second of each date: that of its chunk.
    fn speeds(&self) -> Vec<Option<f64>> {
        let mut speeds = Vec::with_capacity(self.days.len());
        for chunk in self.days.chunk_by(Day::is_in_chunk_of) {
            let html: u64 = chunk.iter().map(|day| day.html_bytes).sum();
            let seconds = chunk.first().map_or(0.0, |day| day.seconds);
            let speed = (seconds > 0.0).then(|| html as f64 / 1e6 / seconds);
            speeds.extend(chunk.iter().map(|_| speed));
        }
        speeds
    }

    /// Seconds of all chunks.
    fn seconds(&self) -> f64 {
        let chunks = self.days.chunk_by(Day::is_in_chunk_of);
        chunks
            .filter_map(|chunk| chunk.first())
            .map(|day| day.seconds)
            .sum()
    }

    fn charts(&self) -> Vec<Chart> {
        let [Some(first), Some(last)] = [self.days.first(), self.days.last()] else {
            return Vec::new();
        };
        let chart = |title, summary, svg, top, keys| Chart {
            title,
            summary,
            svg,
            first: first.date.clone(),
            last: last.date.clone(),
            top,
            keys,
        };
        let rows: Vec<Vec<f64>> = (self.days.iter())
            .map(|day| {
                let others = day.blocklisted + day.quarantined;
                [day.unique, day.duplicates, day.revisions, others].map(|rows| rows as f64)
            })
            .map(Vec::from)
            .collect();
        let most_rows = self.days.iter().map(|day| day.rows).max().unwrap_or(0);
        let rows = chart(
            "Rows of the archive",
            format!("{} in all", grouped(self.sum(|day| day.rows))),
            bars(&rows),
            grouped(most_rows),
            vec![
                "unique",
                "duplicate",
                "revision",
                "blocklisted or quarantined",
            ],
        );
        let speeds = self.speeds();
        let most = speeds.iter().flatten().copied().fold(0.0, f64::max);
        let mean = self.sum(|day| day.html_bytes) as f64 / 1e6 / self.seconds();
        let speed = chart(
            "HTML per second",
            match mean.is_finite() {
                true => format!("{mean:.1} MB/s on average"),
                false => "not known".to_owned(),
            },
            line(&speeds, most),
            format!("{most:.1} MB/s"),
            Vec::new(),
        );
        let memory = |title, of: fn(&Day) -> Option<u64>| {
            let values: Vec<Option<u64>> = self.days.iter().map(of).collect();
            let most = values.iter().flatten().max().copied();
            let shown: Vec<Option<f64>> = (values.iter())
                .map(|value| value.map(|value| value as f64))
                .collect();
            let top = most.map_or_else(|| "–".to_owned(), bytes);
            let summary = most.map_or_else(
                || "not known".to_owned(),
                |most| format!("at most {}", bytes(most)),
            );
            chart(
                title,
                summary,
                line(&shown, most.unwrap_or(0) as f64),
                top,
                Vec::new(),
            )
        };
        vec![
            rows,
            speed,
            memory("Memory of the process", |day| day.memory),
            memory("Spilled to disk", |day| day.spilled),
        ]
    }
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewTemplate<'a> {
    head: Head<'a>,
    overview: &'a Overview,
    charts: Vec<Chart>,
}

impl OverviewTemplate<'_> {
    /// Name, value and detail of the numbers at the top.
    fn facts(&self) -> Vec<(&'static str, String, String)> {
        let overview = self.overview;
        let rows = overview.sum(|day| day.rows);
        let share = |of: fn(&Day) -> u64| {
            let count = overview.sum(of);
            (
                grouped(count),
                format!("{} of the rows", percent(count, rows)),
            )
        };
        let (unique, of_unique) = share(|day| day.unique);
        let (duplicates, of_duplicates) = share(|day| day.duplicates);
        let (quarantined, of_quarantined) = share(|day| day.quarantined);
        let html = overview.sum(|day| day.html_bytes);
        let text = overview.sum(|day| day.text_bytes);
        vec![
            (
                "Rows of the archive",
                grouped(rows),
                format!("{} dates", overview.days.len()),
            ),
            ("Unique pages", unique, of_unique),
            ("Duplicates", duplicates, of_duplicates),
            ("Quarantined", quarantined, of_quarantined),
            (
                "Domains",
                grouped(overview.domains),
                "with documents".to_owned(),
            ),
            ("Text", bytes(text), format!("of {} of HTML", bytes(html))),
        ]
    }

    /// The counts of documents, with their headings.
    fn of_texts(&self) -> [(&'static str, &[Count]); 2] {
        let texts = &self.overview.texts;
        [("Length", &texts.lengths), ("Language", &texts.languages)]
    }
}

/// The largest count, and at least 1: the end of a scale.
fn most(counts: &[Count]) -> u64 {
    counts
        .iter()
        .map(|count| count.count)
        .max()
        .unwrap_or(1)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(date: &str, run: &str, seconds: f64, html_mb: u64) -> Day {
        Day {
            date: date.to_owned(),
            run_id: run.to_owned(),
            html_bytes: html_mb * 1_000_000,
            seconds,
            ..Day::default()
        }
    }

    #[test]
    fn the_seconds_of_a_chunk_count_once_for_all_of_its_dates() {
        let overview = Overview {
            days: vec![
                day("2011-10-24", "a", 2.0, 30),
                day("2011-10-25", "a", 2.0, 10),
                day("2011-10-26", "b", 4.0, 20),
            ],
            ..Overview::default()
        };
        assert_eq!(overview.speeds(), [Some(20.0), Some(20.0), Some(5.0)]);
        assert!((overview.seconds() - 6.0).abs() < 1e-9);
    }
}

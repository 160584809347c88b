//! The objects of one input: pages by date, rows that cannot be used, and the manifest at the end.

use std::collections::BTreeMap;
use std::fmt::Display;

use chrono::{DateTime, NaiveDate};
use tables::{Location, fail_point};
use url_key::Keyer;

use crate::error::ImportError;
use crate::inputs::Input;
use crate::manifest::{self, Manifest};
use crate::page::{Elsewhere, Page};
use crate::parquet_file;
use crate::quarantine::{Kind, Quarantine};
use crate::sites::site_hash;
use crate::spool::{SpooledBodies, TemporaryFolder};
use crate::store;

/// The counts of an input by name.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) records: BTreeMap<String, u64>,
    pub(crate) not_pages: BTreeMap<String, u64>,
    pub(crate) warnings: BTreeMap<String, u64>,
}

/// The content of an input.
pub(crate) struct Content {
    pub(crate) kind: Kind,
    pub(crate) pages: Vec<Page>,
    pub(crate) bodies: SpooledBodies,
    pub(crate) counts: Counts,
    pub(crate) quarantine: Quarantine,
    /// Revisits of captures in other inputs, in the order of the input.
    pub(crate) revisits: Vec<Elsewhere>,
    /// [`Manifest::progress`].
    pub(crate) progress: String,
}

impl Content {
    /// Sorts the pages by date, site, time and URL. The order within the input comes last, because the sort is stable.
    pub(crate) fn sort(&mut self) {
        let keyer = Keyer::default();
        for page in &mut self.pages {
            page.site_hash = site_hash(&keyer, &page.url);
        }
        let place = |page: &Page| (date(page), page.site_hash, page.fetched_at);
        (self.pages).sort_by(|a, b| (place(a), &a.url).cmp(&(place(b), &b.url)));
    }
}

/// Writes the objects of `input`, and its manifest last. `before` is the manifest of an earlier state of
/// the input, and `bytes` is what was read of it.
pub(crate) async fn write(
    mut content: Content,
    input: &Input,
    bytes: u64,
    before: Option<&Manifest>,
    output: &Location,
    folder: &TemporaryFolder,
) -> Result<Manifest, ImportError> {
    content.sort();
    let kind = content.kind;
    let mut manifest = Manifest {
        input: input.label.clone(),
        input_bytes: input.bytes.unwrap_or(bytes),
        input_tag: input.tag.clone(),
        records: content.counts.records,
        not_pages: content.counts.not_pages,
        warnings: content.counts.warnings,
        quarantined: content.quarantine.counts.values().sum(),
        reasons: content.quarantine.counts,
        pages: content.pages.len() as u64,
        revisits: content.revisits.len() as u64,
        html_bytes: content.pages.iter().map(|page| page.bytes() as u64).sum(),
        objects: Vec::new(),
        progress: content.progress,
    };
    let encode = |source| ImportError::Encode {
        input: input.label.clone(),
        source,
    };
    let mut bodies = content.bodies;
    for (date, pages) in by_date(content.pages) {
        let (label, folder) = (input.label.clone(), folder.clone());
        let written = tokio::task::spawn_blocking(move || {
            let file = parquet_file::pages(&pages, &bodies, kind, &label, &folder);
            (file, bodies)
        });
        let (file, spooled) = written.await.map_err(|_| ended(input))?;
        bodies = spooled;
        let object = object(format_args!("date={date}"), input);
        fail_point(format_args!("import.object"));
        store::put_file(output, &object, &input.label, file.map_err(encode)?).await?;
        manifest.objects.push(object);
    }
    let quarantine = match content.quarantine.rows.as_slice() {
        [] => None,
        rows => Some(parquet_file::quarantine(rows, kind, &input.label, folder).map_err(encode)?),
    };
    let revisits = match content.revisits.as_slice() {
        [] => None,
        found => Some(parquet_file::revisits(found, &input.label, folder).map_err(encode)?),
    };
    for (folder, file) in [("_quarantine", quarantine), ("_revisits", revisits)] {
        let object = object(folder, input);
        match file {
            Some(file) => store::put_file(output, &object, &input.label, file).await?,
            None => store::delete(output, &object).await?,
        }
    }
    // Dates that an earlier state of the input had.
    for object in before.iter().flat_map(|before| &before.objects) {
        if !manifest.objects.contains(object) {
            store::delete(output, object).await?;
        }
    }
    fail_point(format_args!("import.manifest"));
    manifest::write(output, &input.name, &manifest).await?;
    Ok(manifest)
}

fn object(folder: impl Display, input: &Input) -> String {
    format!("{folder}/{}.parquet", input.name)
}

/// The error of a thread that gave no result.
pub(crate) fn ended(input: &Input) -> ImportError {
    ImportError::Task {
        input: input.label.clone(),
    }
}

/// The UTC day of a page.
fn date(page: &Page) -> NaiveDate {
    let time = DateTime::from_timestamp_micros(page.fetched_at);
    time.unwrap_or_default().date_naive()
}

/// Splits pages in the order of their UTC days by these.
fn by_date(pages: Vec<Page>) -> Vec<(NaiveDate, Vec<Page>)> {
    let mut dates: Vec<(NaiveDate, Vec<Page>)> = Vec::new();
    for page in pages {
        let date = date(&page);
        match dates.last_mut() {
            Some((last, pages)) if *last == date => pages.push(page),
            _ => dates.push((date, vec![page])),
        }
    }
    dates
}

//! The import of one input.

use std::collections::{BTreeMap, HashMap};
use std::io;

use chrono::{DateTime, NaiveDate};
use tables::{Location, fail_point};
use tokio::sync::mpsc::UnboundedSender;
use warc::{Limits, Origin, RecordError, Records, Revisit};

use crate::Options;
use crate::error::ImportError;
use crate::inputs::Input;
use crate::manifest::{self, Manifest};
use crate::page::{Page, Spool, SpooledBodies, TemporaryFolder, is_html, is_page};
use crate::parquet_file;
use crate::source::{Source, Watch};
use crate::store;

/// Most records of an input whose place and reason are written. An input with more is not a WARC
/// file, or broken from some place on; all of them are counted.
const MAX_QUARANTINED: usize = 100_000;

/// The content of an input.
struct Content {
    /// In time order.
    pages: Vec<Page>,
    bodies: SpooledBodies,
    records: BTreeMap<String, u64>,
    errors: Vec<RecordError>,
    quarantined: u64,
    /// Revisits of captures in other inputs, in the order of the input.
    revisits: Vec<(Origin, Revisit)>,
}

/// Imports `input` and writes its manifest. `before` is the manifest of an earlier state of the input.
pub(crate) async fn import(
    input: Input,
    before: Option<Manifest>,
    output: Location,
    options: Options,
    progress: UnboundedSender<u64>,
) -> Result<Manifest, ImportError> {
    let watch = Watch::default();
    let source = Source::open(&input, progress, watch.clone()).await?;
    let task = |_| ImportError::Task {
        input: input.label.clone(),
    };
    let folder = TemporaryFolder(options.spill_dir);
    let spool = folder.clone();
    let content = tokio::task::spawn_blocking(move || read(source, options.limits, &spool));
    let content = content.await.map_err(task)?;
    if let Some(source) = watch.failure() {
        return Err(ImportError::Store {
            doing: "read",
            object: input.label,
            source,
        });
    }
    let content = content.map_err(|source| ImportError::Spool {
        input: input.label.clone(),
        source,
    })?;
    let mut manifest = Manifest {
        input: input.label.clone(),
        input_bytes: input.bytes.unwrap_or_else(|| watch.bytes()),
        input_tag: input.tag.clone(),
        records: content.records,
        quarantined: content.quarantined,
        pages: content.pages.len() as u64,
        revisits: content.revisits.len() as u64,
        html_bytes: content.pages.iter().map(|page| page.bytes() as u64).sum(),
        objects: Vec::new(),
    };
    let encode = |source| ImportError::Encode {
        input: input.label.clone(),
        source,
    };
    let mut bodies = content.bodies;
    for (date, pages) in by_date(content.pages) {
        let (label, folder) = (input.label.clone(), folder.clone());
        let written = tokio::task::spawn_blocking(move || {
            let file = parquet_file::pages(&pages, &bodies, &label, &folder);
            (file, bodies)
        });
        let (file, spooled) = written.await.map_err(task)?;
        bodies = spooled;
        let object = format!("date={date}/{}.parquet", input.name);
        fail_point(format_args!("import.object"));
        store::put_file(&output, &object, &input.label, file.map_err(encode)?).await?;
        manifest.objects.push(object);
    }
    let quarantine = match content.errors.as_slice() {
        [] => None,
        errors => Some(parquet_file::quarantine(errors, &input.label, &folder).map_err(encode)?),
    };
    let revisits = match content.revisits.as_slice() {
        [] => None,
        found => Some(parquet_file::revisits(found, &input.label, &folder).map_err(encode)?),
    };
    for (kind, file) in [("_quarantine", quarantine), ("_revisits", revisits)] {
        let object = format!("{kind}/{}.parquet", input.name);
        match file {
            Some(file) => store::put_file(&output, &object, &input.label, file).await?,
            None => store::delete(&output, &object).await?,
        }
    }
    // Dates that an earlier state of the input had.
    for object in before.iter().flat_map(|before| &before.objects) {
        if !manifest.objects.contains(object) {
            store::delete(&output, object).await?;
        }
    }
    fail_point(format_args!("import.manifest"));
    manifest::write(&output, &input.name, &manifest).await?;
    Ok(manifest)
}

/// Reads all records. Waits for the store, so it runs on a blocking thread.
fn read(source: Source, limits: Limits, folder: &TemporaryFolder) -> io::Result<Content> {
    let mut spool = Spool::new(folder)?;
    let mut revisits = Vec::new();
    let mut pages: Vec<Page> = Vec::new();
    // Position of a capture -> its page, for revisits.
    let mut captures: HashMap<u64, usize> = HashMap::new();
    let mut records: BTreeMap<String, u64> = BTreeMap::new();
    let (mut errors, mut quarantined) = (Vec::new(), 0);
    let may_be_html = |content_type: Option<&str>| is_html(content_type) != Some(false);
    for record in Records::new(source, limits).with_bodies_of(may_be_html) {
        let entry = match record {
            Ok(entry) => entry,
            Err(error) => {
                quarantined += 1;
                if errors.len() < MAX_QUARANTINED {
                    errors.push(error);
                }
                continue;
            }
        };
        *records
            .entry(entry.record_type.name().to_owned())
            .or_default() += 1;
        if let Some(revisit) = entry.revisit
            && is_html(revisit.content_type.as_deref()) != Some(false)
        {
            revisits.push((entry.origin, revisit));
            continue;
        }
        let Some(capture) = entry.capture else {
            continue;
        };
        if let Some(repeated) = capture.repeats {
            if let Some(page) = captures.get(&repeated) {
                let page = pages[*page].repeated(capture, entry.origin);
                pages.push(page);
            }
        } else if is_page(&capture) {
            captures.insert(capture.position, pages.len());
            pages.push(Page::new(capture, entry.origin, &mut spool)?);
        }
    }
    // Total: the order within the input comes last, because the sort is stable.
    pages.sort_by(|a, b| (a.fetched_at, &a.url).cmp(&(b.fetched_at, &b.url)));
    Ok(Content {
        pages,
        bodies: spool.finish()?,
        records,
        errors,
        quarantined,
        revisits,
    })
}

/// Splits pages in time order by their UTC day.
fn by_date(pages: Vec<Page>) -> Vec<(NaiveDate, Vec<Page>)> {
    let mut dates: Vec<(NaiveDate, Vec<Page>)> = Vec::new();
    for page in pages {
        let date = DateTime::from_timestamp_micros(page.fetched_at).unwrap_or_default();
        let date = date.date_naive();
        match dates.last_mut() {
            Some((last, pages)) if *last == date => pages.push(page),
            _ => dates.push((date, vec![page])),
        }
    }
    dates
}

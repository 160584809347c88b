//! The pages of a WARC or ARC file.

use std::collections::{BTreeMap, HashMap};
use std::io;

use tables::Location;
use tokio::sync::mpsc::UnboundedSender;
use warc::{Limits, RecordError, RecordType, Records};

use crate::Options;
use crate::error::ImportError;
use crate::inputs::Input;
use crate::manifest::Manifest;
use crate::page::{Page, is_html, is_page};
use crate::quarantine::{Kind, Quarantine, Quarantined};
use crate::source::{Source, Watch};
use crate::spool::{Spool, TemporaryFolder};
use crate::write::{self, Content};

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
    let folder = TemporaryFolder(options.spill_dir);
    let spool = folder.clone();
    let content = tokio::task::spawn_blocking(move || read(source, options.limits, &spool));
    let content = content.await.map_err(|_| write::ended(&input))?;
    watch.check(&input)?;
    let content = content.map_err(|source| ImportError::Spool {
        input: input.label.clone(),
        source,
    })?;
    write::write(
        content,
        &input,
        watch.bytes(),
        before.as_ref(),
        &output,
        &folder,
    )
    .await
}

/// Reads all records. Waits for the store, so it runs on a blocking thread.
fn read(source: Source, limits: Limits, folder: &TemporaryFolder) -> io::Result<Content> {
    let mut spool = Spool::new(folder)?;
    let mut revisits = Vec::new();
    let mut pages: Vec<Page> = Vec::new();
    // Position of a capture -> its page, for revisits.
    let mut captures: HashMap<u64, usize> = HashMap::new();
    let mut records: BTreeMap<String, u64> = BTreeMap::new();
    let mut quarantine = Quarantine::default();
    let may_be_html = |content_type: Option<&str>| is_html(content_type) != Some(false);
    for record in Records::new(source, limits).with_bodies_of(may_be_html) {
        let entry = match record {
            Ok(entry) => entry,
            Err(error) => {
                quarantine.add(|| quarantined(error));
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
    Ok(Content {
        kind: Kind::Records,
        pages,
        bodies: spool.finish()?,
        records,
        quarantine,
        revisits,
    })
}

fn quarantined(error: RecordError) -> Quarantined {
    Quarantined {
        position: i64::try_from(error.origin.offset).unwrap_or(i64::MAX),
        name: error.origin.record_id,
        record_type: (error.record_type.as_ref()).map(|of| RecordType::name(of).to_owned()),
        url: error.origin.url,
        reason: error.reason.to_string(),
    }
}

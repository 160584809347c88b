//! The pages of a WARC or ARC file.

use std::collections::HashMap;
use std::io;

use tables::Location;
use tokio::sync::mpsc::UnboundedSender;
use warc::{Limits, RecordError, RecordType, Records, Warning, is_html};

use crate::Options;
use crate::error::ImportError;
use crate::inputs::Input;
use crate::manifest::Manifest;
use crate::page::Page;
use crate::quarantine::{Kind, Quarantine, Quarantined};
use crate::source::{Source, Watch};
use crate::spool::{Spool, TemporaryFolder};
use crate::write::{self, Content, Counts};

/// Imports `input` and writes its manifest. `before` is the manifest of an earlier state of the input.
pub(crate) async fn import(
    input: Input,
    before: Option<Manifest>,
    output: Location,
    options: Options,
    progress: UnboundedSender<u64>,
) -> Result<Manifest, ImportError> {
    let folder = TemporaryFolder(options.spill_dir);
    let (content, bytes) = content(&input, options.limits, &folder, progress).await?;
    write::write(content, &input, bytes, before.as_ref(), &output, &folder).await
}

/// Reads the content of `input`, and the number of its bytes.
pub(crate) async fn content(
    input: &Input,
    limits: Limits,
    folder: &TemporaryFolder,
    progress: UnboundedSender<u64>,
) -> Result<(Content, u64), ImportError> {
    let watch = Watch::default();
    let source = Source::open(input, progress, watch.clone()).await?;
    let folder = folder.clone();
    let content = tokio::task::spawn_blocking(move || read(source, limits, &folder));
    let content = content.await.map_err(|_| write::ended(input))?;
    watch.check(input)?;
    let content = content.map_err(|source| ImportError::Spool {
        input: input.label.clone(),
        source,
    })?;
    Ok((content, watch.bytes()))
}

/// Most types of content that are counted by name. Hostile files could have more than memory has.
const MAX_TYPES: usize = 200;
/// Most letters of a type of content.
const MAX_TYPE_LETTERS: usize = 80;

/// Reads all records. Waits for the store, so it runs on a blocking thread.
fn read(source: Source, limits: Limits, folder: &TemporaryFolder) -> io::Result<Content> {
    let mut spool = Spool::new(folder)?;
    let mut revisits = Vec::new();
    let mut pages: Vec<Page> = Vec::new();
    // Position of a capture -> its page, for revisits.
    let mut captures: HashMap<u64, usize> = HashMap::new();
    let mut counts = Counts::default();
    let mut quarantine = Quarantine::default();
    for record in Records::new(source, limits).html_only() {
        let entry = match record {
            Ok(entry) => entry,
            Err(error) => {
                quarantine.add(quarantined(error));
                continue;
            }
        };
        let record_type = entry.record_type.name();
        counts.add_record(record_type, &entry.warnings);
        if let Some(revisit) = entry.revisit {
            match is_html(revisit.content_type.as_deref()) {
                Some(false) => counts.add_other(record_type, revisit.content_type.as_deref()),
                _ => revisits.push((entry.origin, revisit)),
            }
            continue;
        }
        let Some(capture) = entry.capture else {
            counts.add_other(record_type, entry.content_type.as_deref());
            continue;
        };
        let repeated = capture.repeats.map(|repeated| captures.get(&repeated));
        match repeated {
            Some(Some(page)) => {
                let page = pages[*page].repeated(capture, entry.origin);
                pages.push(page);
            }
            None if capture.is_html => {
                captures.insert(capture.position, pages.len());
                pages.push(Page::new(capture, entry.origin, &mut spool)?);
            }
            _ => counts.add_other(record_type, capture.content_type.as_deref()),
        }
    }
    Ok(Content {
        kind: Kind::Records,
        pages,
        bodies: spool.finish()?,
        counts,
        quarantine,
        revisits,
    })
}

impl Counts {
    fn add_record(&mut self, record_type: &str, warnings: &[Warning]) {
        *self.records.entry(record_type.to_owned()).or_default() += 1;
        for warning in warnings {
            *self.warnings.entry(warning.to_string()).or_default() += 1;
        }
    }

    /// Counts a record that is not a page, by its type and that of its content.
    fn add_other(&mut self, record_type: &str, content_type: Option<&str>) {
        let essence = content_type.unwrap_or_default().split([';', ',']).next();
        let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "/+-_.*".contains(letter);
        let is_name = essence.len() <= MAX_TYPE_LETTERS && essence.chars().all(plain);
        let mut name = match essence.as_str() {
            "" => format!("{record_type} untyped"),
            _ if !is_name => format!("{record_type} of another type"),
            essence => format!("{record_type} {essence}"),
        };
        if self.not_pages.len() >= MAX_TYPES && !self.not_pages.contains_key(&name) {
            name = "other types".to_owned();
        }
        *self.not_pages.entry(name).or_default() += 1;
    }
}

fn quarantined(error: RecordError) -> Quarantined {
    Quarantined {
        position: i64::try_from(error.origin.offset).unwrap_or(i64::MAX),
        name: error.origin.record_id,
        record_type: (error.record_type.as_ref()).map(|of| RecordType::name(of).to_owned()),
        url: error.origin.url,
        kind: error.reason.kind().to_owned(),
        reason: error.reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_are_not_pages_are_counted_by_type_and_content() {
        let mut counts = Counts::default();
        for (record_type, content_type) in [
            ("response", Some("Image/PNG; q=1")),
            ("response", Some("image/png")),
            ("warcinfo", None),
            ("response", Some("caf\u{e9}")),
        ] {
            counts.add_other(record_type, content_type);
        }
        let expected = [
            ("response image/png", 2),
            ("response of another type", 1),
            ("warcinfo untyped", 1),
        ];
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(
            counts.not_pages.clone().into_iter().collect::<Vec<_>>(),
            expected
        );
        for number in 0..2 * MAX_TYPES {
            counts.add_other("response", Some(&format!("a/{number}")));
        }
        assert_eq!(counts.not_pages.len(), MAX_TYPES + 1);
        assert_eq!(
            counts.not_pages.values().sum::<u64>(),
            4 + 2 * MAX_TYPES as u64
        );
    }
}

//! The records of WARC files that were read so far.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use warc::{Decoded, Links, RecordError, RecordType, Warning, is_html};

use crate::page::{Elsewhere, Page};
use crate::quarantine::{Kind, Quarantine, Quarantined};
use crate::spool::{Spool, TemporaryFolder};
use crate::write::{Content, Counts};

/// Most types of content that are counted by name. Hostile files could have more than memory has.
const MAX_TYPES: usize = 200;
/// Most letters of a type of content.
const MAX_TYPE_LETTERS: usize = 80;

/// The records of one file after another that were read so far.
pub(crate) struct Found {
    /// The file of the next record, if the records are of several.
    file: Option<Arc<str>>,
    links: Links,
    spool: Spool,
    pages: Vec<Page>,
    /// Position of a capture -> its page, for revisits.
    captures: HashMap<u64, usize>,
    revisits: Vec<Elsewhere>,
    counts: Counts,
    quarantine: Quarantine,
}

impl Found {
    pub(crate) fn new(folder: &TemporaryFolder) -> io::Result<Self> {
        Ok(Self {
            file: None,
            links: Links::default(),
            spool: Spool::new(folder)?,
            pages: Vec::new(),
            captures: HashMap::new(),
            revisits: Vec::new(),
            counts: Counts::default(),
            quarantine: Quarantine::default(),
        })
    }

    /// The next records are of `file`, and have to do with each other only.
    pub(crate) fn begin(&mut self, file: &Arc<str>) {
        if self.file.as_ref() != Some(file) {
            self.file = Some(Arc::clone(file));
            self.links = Links::default();
            self.captures.clear();
        }
    }

    /// Adds the next record of the file.
    pub(crate) fn add(&mut self, record: Result<Decoded, RecordError>) -> io::Result<()> {
        self.add_at(record, None)
    }

    /// Adds a record of the current file that cannot be used.
    pub(crate) fn add_unusable(&mut self, row: Quarantined) {
        let file = self.file.clone();
        self.quarantine.add(Quarantined { file, ..row });
    }

    /// Adds the next record of the file. `offset` is its place, if it was read by itself.
    pub(crate) fn add_at(
        &mut self,
        record: Result<Decoded, RecordError>,
        offset: Option<u64>,
    ) -> io::Result<()> {
        let mut entry = match record {
            Ok(decoded) => self.links.entry(decoded),
            Err(mut error) => {
                error.origin.offset = offset.unwrap_or(error.origin.offset);
                self.add_unusable(quarantined(error));
                return Ok(());
            }
        };
        entry.origin.offset = offset.unwrap_or(entry.origin.offset);
        let record_type = entry.record_type.name();
        self.counts.add_record(record_type, &entry.warnings);
        if let Some(revisit) = entry.revisit {
            let content_type = revisit.content_type.as_deref();
            match is_html(content_type) {
                Some(false) => self.counts.add_other(record_type, content_type),
                _ => self.revisits.push(Elsewhere {
                    origin: entry.origin,
                    revisit,
                    file: self.file.clone(),
                }),
            }
            return Ok(());
        }
        let Some(capture) = entry.capture else {
            let content_type = entry.content_type.as_deref();
            self.counts.add_other(record_type, content_type);
            return Ok(());
        };
        let repeated = capture.repeats.map(|repeated| self.captures.get(&repeated));
        match repeated {
            Some(Some(page)) => {
                let mut page = self.pages[*page].repeated(capture, entry.origin);
                page.file.clone_from(&self.file);
                self.pages.push(page);
            }
            None if capture.is_html => {
                self.captures.insert(capture.position, self.pages.len());
                let mut page = Page::new(capture, entry.origin, &mut self.spool)?;
                page.file.clone_from(&self.file);
                self.pages.push(page);
            }
            _ => {
                let content_type = capture.content_type.as_deref();
                self.counts.add_other(record_type, content_type);
            }
        }
        Ok(())
    }

    pub(crate) fn content(self) -> io::Result<Content> {
        Ok(Content {
            kind: Kind::Records,
            pages: self.pages,
            bodies: self.spool.finish()?,
            counts: self.counts,
            quarantine: self.quarantine,
            revisits: self.revisits,
            progress: String::new(),
        })
    }
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
        file: None,
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

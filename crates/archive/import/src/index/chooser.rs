//! The chosen records of some indexes.

use std::collections::BTreeMap;

use boundary::guarded;
use crawl_index::{Line, LineError, LineReason, Reader, Record, Selected, Selection};

use crate::error::ImportError;
use crate::index::bases::joined;
use crate::index::pointers::Pointers;

/// Most lines that cannot be read and are kept as examples.
const EXAMPLES: usize = 3;

/// The lines of indexes that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// All of them.
    pub lines: u64,
    /// The first of them: index, line and reason.
    pub examples: Vec<String>,
}

/// An index that is read.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The name that a user knows.
    pub(crate) index: String,
    /// The folder of the files, as the bases name it.
    pub(crate) base: String,
    /// Whether its lines may point to blocks of lines in other files.
    pub(crate) may_point: bool,
    /// Whether a server answers. It may say that it has no record.
    pub(crate) is_server: bool,
}

/// The records that were chosen so far.
#[derive(Debug)]
pub(crate) struct Chooser {
    selection: Selection,
    pub(crate) records: Vec<Record>,
    pub(crate) selected: Selected,
    pub(crate) unreadable: Unreadable,
    /// Blocks of the index that is read.
    pub(crate) blocks: Pointers,
}

impl Chooser {
    pub(crate) fn new(selection: Selection) -> Self {
        Self {
            blocks: Pointers::new(selection.ranges()),
            selection,
            records: Vec::new(),
            selected: Selected::default(),
            unreadable: Unreadable::default(),
        }
    }

    /// Takes the next line of an index.
    ///
    /// # Errors
    /// If the line points to other lines, and may not.
    pub(crate) fn line(
        &mut self,
        reader: &mut Reader,
        line: &[u8],
        origin: &Origin,
    ) -> Result<(), ImportError> {
        let read = guarded("CDX", line, || reader.line(line));
        match read {
            Ok(None) => {}
            Ok(Some(Ok(Line::Record(record)))) => self.record(record, origin),
            Ok(Some(Ok(Line::Pointer(pointer)))) if origin.may_point => self.blocks.add(pointer),
            Ok(Some(Ok(Line::Pointer(pointer)))) => {
                let file = pointer.file.unwrap_or_default();
                return Err(ImportError::Index {
                    index: origin.index.clone(),
                    problem: format!(
                        "a line points to other lines, in `{file}`; name the index that has these"
                    ),
                });
            }
            Ok(Some(Err(LineError {
                reason: LineReason::Answer(_),
                ..
            }))) if origin.is_server => {}
            Ok(Some(Err(error))) => self.unreadable(origin, &error.to_string()),
            Err(panic) => self.unreadable(origin, &panic.to_string()),
        }
        Ok(())
    }

    /// Takes a record. Its file gets the folder of the index.
    pub(crate) fn record(&mut self, mut record: Record, origin: &Origin) {
        let url = record.url.clone().unwrap_or_default();
        let left_out = guarded("URLs", url.as_bytes(), || self.selection.left_out(&record));
        let left_out = match left_out {
            Ok(left_out) => left_out,
            Err(panic) => return self.unreadable(origin, &panic.to_string()),
        };
        if left_out.is_none()
            && let Some(file) = record.file.take()
        {
            record.file = joined(&origin.base, &file);
            if record.file.is_none() {
                let problem = format!("{url}: the file `{file}` is not below {}", origin.base);
                return self.unreadable(origin, &problem);
            }
        }
        self.selected.count(left_out);
        if left_out.is_none() {
            self.records.push(record);
        }
    }

    pub(crate) fn unreadable(&mut self, origin: &Origin, problem: &str) {
        let unreadable = &mut self.unreadable;
        unreadable.lines += 1;
        if unreadable.examples.len() < EXAMPLES {
            unreadable
                .examples
                .push(format!("{}: {problem}", origin.index));
        }
    }

    /// Counts of the records that were left out, by reason.
    pub(crate) fn left_out(&self) -> BTreeMap<String, u64> {
        let left_out = self.selected.left_out.iter();
        left_out
            .map(|(reason, count)| (reason.to_string(), *count))
            .collect()
    }
}

//! Lines of CDX, CDXJ and the JSON of CDX servers.

use std::str;

use crate::cdx::{self, Columns};
use crate::json::{self, Rows};
use crate::record::{Line, LineError, LineReason, Pointer};

/// Reads an index, one line after another. Each line is recognised by itself, so an index may have lines of several forms.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    /// Number of lines read.
    lines: u64,
    /// The header of CDX.
    columns: Option<Columns>,
    /// The header of an array of rows.
    rows: Option<Rows>,
    /// File of the blocks that pointers without a file name.
    blocks: Option<String>,
}

impl Reader {
    /// Reads the next line, with or without its end. Returns `None` for a line that describes nothing: a header, a comment, an
    /// empty line, the brackets of an array.
    ///
    /// # Errors
    ///
    /// Returns a [`LineError`] for a line that cannot be read. The next line can be read after it.
    pub fn line(&mut self, line: &[u8]) -> Option<Result<Line, LineError>> {
        self.lines += 1;
        let read = match str::from_utf8(line) {
            Ok(text) => self.text(text.trim_end_matches(['\r', '\n'])),
            Err(_) => Err(LineReason::NotUtf8),
        };
        let line = self.lines;
        read.map_err(|reason| LineError { line, reason })
            .transpose()
    }

    fn text(&mut self, text: &str) -> Result<Option<Line>, LineReason> {
        if let Some(columns) = cdx::header(text) {
            self.columns = Some(columns);
            return Ok(None);
        }
        let line = text.trim_matches(' ');
        match line.as_bytes().first() {
            None | Some(b'#') => return Ok(None),
            Some(b'!') => {
                self.blocks = json::file_of_blocks(line).or(self.blocks.take());
                return Ok(None);
            }
            Some(b'{') => return json::record(line).map(|record| Some(Line::Record(record))),
            Some(b'[' | b']') => return json::row(line, &mut self.rows),
            Some(_) => {}
        }
        let mut parts = line.splitn(3, ' ');
        if let (Some(key), Some(time), Some(object)) = (parts.next(), parts.next(), parts.next())
            && object.starts_with('{')
        {
            let mut read = json::cdxj(key, time, object)?;
            if let Line::Pointer(Pointer { file, .. }) = &mut read
                && file.is_none()
            {
                file.clone_from(&self.blocks);
            }
            return Ok(Some(read));
        }
        let columns = self.columns.as_ref();
        if line.contains('\t') && columns.is_none_or(|columns| columns.delimiter != '\t') {
            return cdx::pointer(line).map(|pointer| Some(Line::Pointer(pointer)));
        }
        cdx::record(line, columns).map(|record| Some(Line::Record(record)))
    }
}

/// Reads an index that is in memory.
pub fn read(index: &[u8]) -> impl Iterator<Item = Result<Line, LineError>> {
    let mut reader = Reader::default();
    index
        .split(|&byte| byte == b'\n')
        .filter_map(move |line| reader.line(line))
}

//! The content of a line of an index.

/// A record of an archive as an index describes it. A field that the index leaves out, or has as `-`, is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Record {
    /// URL as the crawler requested it.
    pub url: Option<String>,
    /// Seconds since 1970, UTC. Fractions are cut.
    pub time: Option<i64>,
    /// Type of the content without parameters, or `warc/revisit`. The type that Common Crawl has detected takes the place of
    /// the server's, if it is that of HTML or the server's is missing.
    pub mime: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Digest of the payload: `sha1:BASE32`, base32 alone or another form.
    pub digest: Option<String>,
    /// Path of the WARC file, as the index has it.
    pub file: Option<String>,
    /// Offset in the file of the record or its compressed member, in bytes.
    pub offset: Option<u64>,
    /// Bytes of the record or its compressed member in the file.
    pub length: Option<u64>,
}

/// A block of lines in another file: a line of the index of an index (`ZipNum`'s `.idx`, or that of a WACZ).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// Key of the first line of the block: SURT, space and time. Blocks are sorted by it.
    pub key: String,
    /// File of the block. `ZipNum` names a part, which its `.loc` file maps to paths.
    pub file: Option<String>,
    /// Offset of the block in the file, in bytes.
    pub offset: u64,
    /// Bytes of the block in the file.
    pub length: u64,
}

/// A line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A record.
    Record(Record),
    /// A block of lines.
    Pointer(Pointer),
}

/// A line that cannot be read. The reader continues at the next one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the index is left out: {reason}")]
pub struct LineError {
    /// Number of the line, from 1.
    pub line: u64,
    /// The reason.
    pub reason: LineReason,
}

/// The reason why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineReason {
    /// The bytes of the line.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// A line of CDX without a header.
    #[error("it has {seen} fields; CDX without a header has 7, 9 or 11")]
    Fields {
        /// Number of fields in the line.
        seen: usize,
    },
    /// A line or row after a header.
    #[error("it has {seen} fields, and the header names {named}")]
    OtherThanHeader {
        /// Number of fields in the line.
        seen: usize,
        /// Number of fields in the header.
        named: usize,
    },
    /// A line with tabs.
    #[error("it has {seen} fields between tabs; a line of an index of an index has 4 or 5")]
    PointerFields {
        /// Number of fields in the line.
        seen: usize,
    },
    /// The value of a field.
    #[error("`{value}` is not a value of the field {field}")]
    Value {
        /// Name of the field, such as `offset`.
        field: &'static str,
        /// The value, at most its first 80 letters.
        value: String,
    },
    /// The JSON of a line.
    #[error("its JSON cannot be read: {0}")]
    Json(String),
    /// A row of a JSON array.
    #[error("the first row of the array does not name the fields")]
    NoHeader,
    /// An array of rows.
    #[error("it has several rows of an array; a line has one")]
    ManyRows,
    /// An answer instead of records, such as "No Captures found", which is that of an empty range.
    #[error("the server answers: {0}")]
    Answer(String),
}

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Url,
    Time,
    Mime,
    Status,
    Digest,
    File,
    Offset,
    Length,
}

impl Field {
    /// The field with this name in JSON: the name of pywb and CDXJ, or that of the Wayback Machine.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "url" | "original" => Self::Url,
            "timestamp" => Self::Time,
            "mime" | "mimetype" => Self::Mime,
            "status" | "statuscode" => Self::Status,
            "digest" => Self::Digest,
            "filename" => Self::File,
            "offset" => Self::Offset,
            "length" => Self::Length,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Time => "timestamp",
            Self::Mime => "mime",
            Self::Status => "status",
            Self::Digest => "digest",
            Self::File => "filename",
            Self::Offset => "offset",
            Self::Length => "length",
        }
    }

    /// The error of a value that the field cannot have.
    pub(crate) fn wrong(self, value: &str) -> LineReason {
        LineReason::Value {
            field: self.name(),
            value: value.chars().take(80).collect(),
        }
    }
}

impl Record {
    /// Sets a field from text.
    pub(crate) fn set(&mut self, field: Field, value: &str) -> Result<(), LineReason> {
        if value.is_empty() || value == "-" {
            return Ok(());
        }
        let wrong = || field.wrong(value);
        let text = || Some(value.to_owned());
        match field {
            Field::Url => self.url = text(),
            Field::Mime => self.mime = text(),
            Field::Digest => self.digest = text(),
            Field::File => self.file = text(),
            Field::Time => self.time = Some(warc::seconds_of_digits(value).ok_or_else(wrong)?),
            Field::Status => self.status = Some(value.parse().map_err(|_| wrong())?),
            Field::Offset => self.offset = Some(value.parse().map_err(|_| wrong())?),
            Field::Length => self.length = Some(value.parse().map_err(|_| wrong())?),
        }
        Ok(())
    }
}

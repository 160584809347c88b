//! Forms of records that the standards do not have.

/// A form that the standards do not have, and that has one meaning nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Digits of ARC that are not 14, or a time that is not ISO 8601.
    #[error("time in another form")]
    Time,
    /// Bytes that are not UTF-8 in a header: `%XX` in its text.
    #[error("header with other bytes than UTF-8")]
    Bytes,
    /// Angle brackets around an address, or white space in it.
    #[error("address with brackets or blanks")]
    Address,
    /// No `WARC-Type`.
    #[error("record without WARC-Type")]
    RecordType,
    /// A `Content-Type` of the record that is not that of its block, or none.
    #[error("record with another Content-Type")]
    ContentType,
    /// A status line that is not one of HTTP, or none.
    #[error("status line in another form")]
    StatusLine,
    /// Several types in one `Content-Type`, or several such headers.
    #[error("response with several types")]
    SeveralTypes,
    /// A digest whose algorithm or form is not known: it is not compared.
    #[error("digest that is not known")]
    UnknownDigest,
    /// A digest of other bytes of the record than its name says: the block for the payload, the payload
    /// for the block, or the body without its content encoding.
    #[error("digest of other bytes of the record")]
    OtherDigest,
    /// A body without the chunks that its header has.
    #[error("body without its chunks")]
    NotChunked,
    /// A body without the content encoding that its header has.
    #[error("body that is decoded already")]
    NotEncoded,
}

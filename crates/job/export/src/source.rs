use std::fmt;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use tables::{Classified, DateRange};

/// A part of a source. Rows of a part come before those of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The documents of dates.
    Dates(DateRange),
    /// The rows of a query, which has one part.
    Query,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dates(dates) => dates.fmt(f),
            Self::Query => f.write_str("the query"),
        }
    }
}

/// The rows of one part.
pub struct Rows<E> {
    /// The columns of every batch.
    pub schema: SchemaRef,
    /// The rows, in an order that is the same each time.
    pub batches: BoxStream<'static, Result<RecordBatch, E>>,
}

impl<E> fmt::Debug for Rows<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({:?})", self.schema)
    }
}

/// Gives the rows of an export. All parts have the same columns.
pub trait Source {
    /// The error of a read.
    type Error: Classified + Send + Sync + 'static;

    /// Returns the parts in order.
    fn parts(&self) -> &[Part];

    /// Starts to read a part.
    fn rows(&self, part: Part) -> impl Future<Output = Result<Rows<Self::Error>, Self::Error>>;
}

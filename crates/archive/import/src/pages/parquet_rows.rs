//! Rows of Parquet.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use boundary::{ParserPanic, guarded_future};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::{AsyncFileReader, ParquetRecordBatchStream};
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use tables::Location;
use tokio::runtime::Handle;

use crate::pages::columns::{Column, Columns};
use crate::pages::error::RowsError;
use crate::pages::positions::positions;
use crate::pages::row::{Reason, Row, Value, Values};

/// Rows that are decoded at a time. Each may have a page of the limit.
const BATCH_ROWS: usize = 16;

/// An object in a store, whose errors are kept.
pub(crate) struct Object {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) path: Path,
    pub(crate) bytes: u64,
}

impl AsyncFileReader for Object {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes, ParquetError>> {
        let kept = |error| ParquetError::External(Box::new(error));
        let bytes = async move { self.store.get_range(&self.path, range).await.map_err(kept) };
        bytes.boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>, ParquetError>> {
        async move {
            let bytes = self.bytes;
            let reader = ParquetMetaDataReader::new();
            Ok(Arc::new(reader.load_and_finish(self, bytes).await?))
        }
        .boxed()
    }
}

/// Returns the error of the store, if it is the cause.
pub(crate) fn panicked(panic: ParserPanic) -> RowsError {
    RowsError::Parquet(ParquetError::External(Box::new(panic)))
}

pub(crate) fn failed(error: ParquetError) -> RowsError {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => RowsError::Store(*error),
            Err(error) => RowsError::Parquet(ParquetError::External(error)),
        },
        error => RowsError::Parquet(error),
    }
}

/// Rows of a Parquet file.
pub(crate) struct ParquetRows {
    stream: ParquetRecordBatchStream<Object>,
    columns: Vec<(Column, String)>,
    rows: VecDeque<Row>,
    number: i64,
    /// Rows of the file.
    total: i64,
}

impl ParquetRows {
    /// Opens the file.
    ///
    /// # Errors
    /// If it is not Parquet or lacks a needed column.
    pub(crate) async fn open(
        location: &Location,
        bytes: Option<u64>,
        columns: &Columns,
        needed: &[Column],
    ) -> Result<Self, RowsError> {
        let store = Arc::clone(location.store());
        let size = match bytes {
            Some(bytes) => bytes,
            None => {
                store
                    .head(location.path())
                    .await
                    .map_err(RowsError::Store)?
                    .size
            }
        };
        let object = Object {
            store,
            path: location.path().clone(),
            bytes: size,
        };
        // A dictionary or a view of a writer is a plain column without its Arrow schema.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = ParquetRecordBatchStreamBuilder::new_with_options(object, options);
        let builder = guarded_future("Parquet", builder).await;
        let builder = builder.map_err(panicked)?.map_err(failed)?;
        let names: Vec<String> = (builder.schema().fields().iter())
            .map(|field| field.name().clone())
            .collect();
        let positions = positions(&names, columns, needed)?;
        let roots = positions.iter().map(|(_, position)| *position);
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let total = builder.metadata().file_metadata().num_rows();
        let stream = builder
            .with_projection(mask)
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(failed)?;
        let named = |(column, position): (Column, usize)| (column, names[position].clone());
        Ok(Self {
            stream,
            columns: positions.into_iter().map(named).collect(),
            rows: VecDeque::new(),
            number: 0,
            total,
        })
    }

    /// Returns the next row. Waits for the store, so it must be called on a thread that may block.
    pub(crate) fn next(&mut self, runtime: &Handle) -> Result<Option<Row>, RowsError> {
        while self.rows.is_empty() {
            let next = guarded_future("Parquet", self.stream.next());
            let Some(batch) = runtime.block_on(next).map_err(panicked)? else {
                return Ok(None);
            };
            let batch = batch.map_err(failed)?;
            self.decode(&batch)?;
        }
        Ok(self.rows.pop_front())
    }

    /// The share of the rows that were returned.
    pub(crate) fn share(&self) -> f64 {
        (self.number - self.rows.len() as i64) as f64 / self.total.max(1) as f64
    }

    fn decode(&mut self, batch: &RecordBatch) -> Result<(), RowsError> {
        let mut rows = vec![Ok(Values::default()); batch.num_rows()];
        for (column, name) in &self.columns {
            let Some(array) = batch.column_by_name(name) else {
                continue;
            };
            for (row, value) in rows.iter_mut().zip(values(*column, array)?) {
                match (row.as_mut(), value) {
                    (Ok(values), Ok(Some(value))) => values.set(*column, value),
                    (Ok(_), Err(reason)) => *row = Err(reason),
                    _ => {}
                }
            }
        }
        for values in rows {
            self.number += 1;
            self.rows.push_back(Row {
                number: self.number,
                values,
            });
        }
        Ok(())
    }
}

/// The values of a column.
fn values(
    column: Column,
    array: &ArrayRef,
) -> Result<Vec<Result<Option<Value>, Reason>>, RowsError> {
    let unusable = || RowsError::Type {
        column,
        found: array.data_type().to_string(),
    };
    let cast = |to: &DataType| cast(array, to).map_err(|_| unusable());
    match array.data_type() {
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => {
            let times = cast(&DataType::Timestamp(
                TimeUnit::Microsecond,
                Some("UTC".into()),
            ))?;
            let times = times.as_primitive::<TimestampMicrosecondType>();
            let values = times.iter().map(|time| Ok(time.map(Value::Time)));
            Ok(values.collect())
        }
        DataType::Binary | DataType::FixedSizeBinary(_) => {
            let bytes = cast(&DataType::Binary)?;
            let value = |bytes: &[u8]| match (column, std::str::from_utf8(bytes)) {
                (Column::Html, _) => Ok(Value::Bytes(bytes.to_vec())),
                (_, Ok(text)) => Ok(Value::Text(text.to_owned())),
                (_, Err(_)) => Err(Reason::NotUtf8(column)),
            };
            let bytes = bytes.as_binary::<i32>();
            Ok(bytes
                .iter()
                .map(|bytes| bytes.map(value).transpose())
                .collect())
        }
        // Texts and numbers.
        found if !found.is_nested() => {
            let texts = cast(&DataType::LargeUtf8)?;
            let value = |text: &str| Value::Text(text.to_owned());
            let texts = texts.as_string::<i64>();
            Ok(texts.iter().map(|text| Ok(text.map(value))).collect())
        }
        _ => Err(unusable()),
    }
}

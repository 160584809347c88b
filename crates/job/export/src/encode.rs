//! Documents as the bytes of a file.

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{CdcOptions, WriterProperties};

use crate::Format;
use crate::error::EncodeError;
use crate::fineweb::Flat;

/// Uncompressed bytes of a Parquet row group, which is in memory until it is complete. A lower value makes
/// larger files that take longer to read.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// Fields whose values rarely recur. A dictionary takes memory and saves nothing for these.
const WITHOUT_DICTIONARY: [&str; 6] = ["id", "text", "url", "date", "added", "created"];

/// The form of times in JSON, which is that of `date`.
const TIME: &str = "%Y-%m-%dT%H:%M:%S%.6f";

/// The encoder of one file.
pub(crate) enum Encoder {
    /// Documents that are encoded one by one.
    Bytes(Compressor),
    Parquet(Box<ParquetFile>),
}

/// A Parquet file.
pub(crate) struct ParquetFile {
    writer: ArrowWriter<Vec<u8>>,
    /// The columns, if they are not those of documents.
    flat: Option<Flat>,
}

/// Compresses the bytes of documents.
pub(crate) enum Compressor {
    /// Bytes stay as they are.
    None(Vec<u8>),
    Zstd(Box<zstd::stream::write::Encoder<'static, Vec<u8>>>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
}

impl Encoder {
    /// Starts a file of `format`. `schema` has the columns of the documents.
    pub(crate) fn new(format: Format, schema: &SchemaRef) -> Result<Self, EncodeError> {
        Ok(Self::Bytes(match format {
            Format::Parquet => {
                let (writer, flat) = (parquet(schema)?, None);
                return Ok(Self::Parquet(Box::new(ParquetFile { writer, flat })));
            }
            Format::FineWeb => {
                let flat = Flat::of(schema);
                let (writer, flat) = (parquet(flat.schema())?, Some(flat));
                return Ok(Self::Parquet(Box::new(ParquetFile { writer, flat })));
            }
            // The records of WET are compressed one by one.
            Format::JsonLines | Format::Wet => Compressor::None(Vec::new()),
            Format::JsonLinesZstd => {
                let level = zstd::DEFAULT_COMPRESSION_LEVEL;
                let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
                // Readers then notice a damaged file.
                encoder.include_checksum(true)?;
                Compressor::Zstd(Box::new(encoder))
            }
            Format::JsonLinesGzip => {
                let level = flate2::Compression::default();
                Compressor::Gzip(Box::new(GzEncoder::new(Vec::new(), level)))
            }
        }))
    }

    /// Returns the bytes that are encoded since the last call.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Bytes(Compressor::None(bytes)) => bytes,
            Self::Bytes(Compressor::Zstd(encoder)) => encoder.get_mut(),
            Self::Bytes(Compressor::Gzip(encoder)) => encoder.get_mut(),
            Self::Parquet(file) => file.writer.inner_mut(),
        })
    }

    /// Returns the bytes that are not in [`Encoder::take`] yet, as far as they are known.
    pub(crate) fn waiting(&self) -> usize {
        match self {
            Self::Bytes(Compressor::None(bytes)) => bytes.len(),
            Self::Bytes(Compressor::Zstd(encoder)) => encoder.get_ref().len(),
            Self::Bytes(Compressor::Gzip(encoder)) => encoder.get_ref().len(),
            Self::Parquet(file) => file.writer.inner().len() + file.writer.in_progress_size(),
        }
    }

    /// Ends the file and returns the rest of its bytes.
    pub(crate) fn finish(self) -> Result<Vec<u8>, EncodeError> {
        Ok(match self {
            Self::Bytes(Compressor::None(bytes)) => bytes,
            Self::Bytes(Compressor::Zstd(encoder)) => encoder.finish()?,
            Self::Bytes(Compressor::Gzip(encoder)) => encoder.finish()?,
            Self::Parquet(file) => file.writer.into_inner()?,
        })
    }
}

impl ParquetFile {
    /// Adds documents.
    pub(crate) fn write(&mut self, documents: &RecordBatch) -> Result<(), EncodeError> {
        match &self.flat {
            Some(flat) => self.writer.write(&flat.rows(documents)?)?,
            None => self.writer.write(documents)?,
        }
        Ok(())
    }
}

impl Compressor {
    /// Adds the bytes of one document. One call per document makes the compressed bytes independent of the
    /// batches of a query.
    pub(crate) fn write(&mut self, document: &[u8]) -> Result<(), EncodeError> {
        match self {
            Self::None(bytes) => bytes.extend_from_slice(document),
            Self::Zstd(encoder) => encoder.write_all(document)?,
            Self::Gzip(encoder) => encoder.write_all(document)?,
        }
        Ok(())
    }
}

/// Returns each document as a line of JSON. Nulls are left out.
pub(crate) fn lines(documents: &RecordBatch) -> Result<Vec<Vec<u8>>, EncodeError> {
    let mut bytes = Vec::new();
    let mut writer = WriterBuilder::new()
        .with_timestamp_format(TIME.to_owned())
        .with_timestamp_tz_format(format!("{TIME}Z"))
        .build::<_, LineDelimited>(&mut bytes);
    writer.write(documents)?;
    writer.finish()?;
    // A line break inside a text is `\n` in JSON.
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    Ok(lines.map(<[u8]>::to_vec).collect())
}

/// Starts a Parquet file. Its pages are cut where the content says so: after a change of some documents, all other pages have
/// the bytes that they had, and a store that knows chunks by their content, such as that of Hugging Face, takes only the
/// rest. It has an index of pages.
fn parquet(schema: &SchemaRef) -> Result<ArrowWriter<Vec<u8>>, EncodeError> {
    let properties = WITHOUT_DICTIONARY
        .into_iter()
        .fold(WriterProperties::builder(), |properties, column| {
            properties.set_column_dictionary_enabled(column.into(), false)
        })
        .set_created_by(concat!("urltree ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .set_content_defined_chunking(Some(CdcOptions::default()))
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    Ok(ArrowWriter::try_new_with_options(
        Vec::new(),
        SchemaRef::clone(schema),
        options,
    )?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};

    use super::*;

    #[test]
    fn a_document_is_one_line_whatever_its_text_has() {
        let texts = ["a\nb", "a\r\n\"b\"\\", "\u{2028}日本語\0", ""];
        let column: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        let batch = RecordBatch::try_from_iter([("text", column)]).unwrap();
        let lines = lines(&batch).unwrap();
        assert_eq!(lines.len(), texts.len());
        for (line, text) in lines.iter().zip(texts) {
            let line: serde_json::Value = serde_json::from_slice(line).unwrap();
            assert_eq!(line["text"], text);
        }
    }
}

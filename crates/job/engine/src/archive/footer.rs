use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataBuilder};
use parquet::schema::types::{SchemaDescriptor, Type};

/// Returns the footer with text columns declared as bytes.
///
/// Invalid UTF-8 in a text column is an error of the whole batch. Read as bytes, it concerns
/// only its own row.
pub(super) fn text_as_bytes(metadata: &ParquetMetaData) -> Result<ParquetMetaData, ParquetError> {
    let file = metadata.file_metadata();
    let fields = file.schema().get_fields().iter().map(|field| {
        let info = field.get_basic_info();
        let is_text = field.is_primitive()
            && field.get_physical_type() == PhysicalType::BYTE_ARRAY
            && (info.converted_type() == ConvertedType::UTF8
                || info.logical_type_ref() == Some(&LogicalType::String));
        if !is_text {
            return Ok(Arc::clone(field));
        }
        Type::primitive_type_builder(info.name(), PhysicalType::BYTE_ARRAY)
            .with_repetition(info.repetition())
            .build()
            .map(Arc::new)
    });
    let schema = Type::group_type_builder(file.schema().name())
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        None,
        Arc::new(SchemaDescriptor::new(Arc::new(schema))),
        file.column_orders().cloned(),
    );
    Ok(ParquetMetaDataBuilder::new(file)
        .set_row_groups(metadata.row_groups().to_vec())
        .set_column_index(metadata.column_index().cloned())
        .set_offset_index(metadata.offset_index().cloned())
        .build())
}

//! The card of an export, with which `datasets.load_dataset` of Hugging Face reads the folder.

use std::fmt::Write;

use arrow::datatypes::{DataType, Field, SchemaRef};

use crate::Format;
use crate::state::DOCUMENTS;

/// Returns `README.md`, or `None` for a format that `datasets` does not read. `documents` are the columns of
/// documents.
///
/// The card of JSON Lines names the type of each field. Without it, `datasets` infers the types from the first
/// file, and fails at the first file with a field that the first one has not.
pub(crate) fn card(documents: &SchemaRef, format: Format) -> Option<String> {
    let types = match format {
        Format::Wet => return None,
        // The files have their types.
        Format::Parquet => None,
        Format::JsonLines | Format::JsonLinesZstd | Format::JsonLinesGzip => {
            fields(documents.fields().iter().map(AsRef::as_ref), 2)
        }
    };
    let types = types.map(|fields| format!("dataset_info:\n  features:\n{fields}"));
    Some(format!(
        "---\nconfigs:\n- config_name: default\n  data_files: {DOCUMENTS}/*.{ending}\n{types}---\n\n\
         Documents of [urltree](https://github.com/urltree/urltree). `manifest.json` has the files, \
         their digests and the selection.\n",
        ending = format.ending(),
        types = types.unwrap_or_default(),
    ))
}

/// Returns the list of fields in YAML, or `None` if one has a type that `datasets` does not have.
fn fields<'a>(of: impl Iterator<Item = &'a Field>, indent: usize) -> Option<String> {
    let mut text = String::new();
    let blank = " ".repeat(indent);
    for field in of {
        // A text of JSON is one of YAML too.
        let name = serde_json::to_string(field.name()).ok()?;
        let _ = writeln!(text, "{blank}- name: {name}");
        text.push_str(&type_of(field.data_type(), "dtype", indent + 2)?);
    }
    Some(text)
}

fn type_of(of: &DataType, key: &str, indent: usize) -> Option<String> {
    let blank = " ".repeat(indent);
    match of {
        DataType::Struct(of) => {
            let fields = fields(of.iter().map(AsRef::as_ref), indent)?;
            let key = if key == "dtype" { "struct" } else { key };
            Some(format!("{blank}{key}:\n{fields}"))
        }
        DataType::List(item) => match item.data_type() {
            DataType::List(_) => None,
            _ => type_of(item.data_type(), "list", indent),
        },
        other => Some(format!("{blank}{key}: {}\n", scalar(other)?)),
    }
}

fn scalar(of: &DataType) -> Option<&'static str> {
    Some(match of {
        DataType::Boolean => "bool",
        DataType::Int8 => "int8",
        DataType::Int16 => "int16",
        DataType::Int32 => "int32",
        DataType::Int64 => "int64",
        DataType::UInt8 => "uint8",
        DataType::UInt16 => "uint16",
        DataType::UInt32 => "uint32",
        DataType::UInt64 => "uint64",
        DataType::Float32 => "float32",
        DataType::Float64 => "float64",
        // Bytes are hexadecimal digits in JSON.
        DataType::Utf8 | DataType::Binary => "string",
        DataType::Date32 => "date32",
        DataType::Timestamp(_, Some(_)) => "timestamp[us, tz=UTC]",
        DataType::Timestamp(_, None) => "timestamp[us]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::datatypes::{Schema, TimeUnit};

    use super::*;

    #[test]
    fn a_card_names_the_type_of_each_field() {
        let list = |of| DataType::List(Arc::new(Field::new("element", of, true)));
        let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let metadata = vec![
            Field::new("count(*)", DataType::Int64, true),
            Field::new("modified_at", time, true),
            Field::new("warnings", list(DataType::Utf8), true),
        ];
        let schema = Arc::new(Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("metadata", DataType::Struct(metadata.into()), false),
        ]));
        let found = card(&schema, Format::JsonLinesGzip).unwrap();
        let expected = "---\nconfigs:\n- config_name: default\n  data_files: documents/*.jsonl.gz\n\
             dataset_info:\n  features:\n  - name: \"id\"\n    dtype: string\n  - name: \"metadata\"\n    \
             struct:\n    - name: \"count(*)\"\n      dtype: int64\n    - name: \"modified_at\"\n      \
             dtype: timestamp[us, tz=UTC]\n    - name: \"warnings\"\n      list: string\n---\n";
        assert!(found.starts_with(expected), "{found}");
    }

    #[test]
    fn a_type_that_datasets_lacks_leaves_the_types_out() {
        let field = Field::new("took", DataType::Duration(TimeUnit::Second), true);
        let schema = Arc::new(Schema::new(vec![field]));
        let found = card(&schema, Format::JsonLines).unwrap();
        assert!(!found.contains("features") && found.contains("data_files"));
    }
}

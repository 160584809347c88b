//! The card of an export: `README.md`, by which Hugging Face shows a data set and `datasets.load_dataset` reads it.

use std::collections::BTreeMap;
use std::fmt::Write;

use arrow::datatypes::{DataType, Field, SchemaRef};

use crate::Format;
use crate::fineweb::Flat;
use crate::state::{DOCUMENTS, Manifest};

/// The names of sizes on Hugging Face, each with its least number of documents, largest first.
const SIZES: [(u64, &str); 11] = [
    (1_000_000_000_000, "n>1T"),
    (100_000_000_000, "100B<n<1T"),
    (10_000_000_000, "10B<n<100B"),
    (1_000_000_000, "1B<n<10B"),
    (100_000_000, "100M<n<1B"),
    (10_000_000, "10M<n<100M"),
    (1_000_000, "1M<n<10M"),
    (100_000, "100K<n<1M"),
    (10_000, "10K<n<100K"),
    (1_000, "1K<n<10K"),
    (0, "n<1K"),
];

/// Returns the card of an export, or `None` for a format that `datasets` does not read. `documents` are the columns of
/// documents.
///
/// The card of JSON Lines names the type of each field. Without it, `datasets` infers the types from the first
/// file, and fails at the first file with a field that the first one has not.
pub(crate) fn card(documents: &SchemaRef, manifest: &Manifest) -> Option<String> {
    let format = manifest.request.format;
    let types = match format {
        Format::Wet => return None,
        // The files have their types.
        Format::Parquet | Format::FineWeb => None,
        Format::JsonLines | Format::JsonLinesZstd | Format::JsonLinesGzip => {
            fields(documents.fields().iter().map(AsRef::as_ref), 2)
        }
    };
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    for (language, documents) in manifest.shards.iter().flat_map(|shard| &shard.languages) {
        *languages.entry(language).or_default() += documents;
    }

    let mut card = String::from("---\n");
    if !languages.is_empty() {
        card.push_str("language:\n");
        for language in languages.keys() {
            // Norwegian is `no`, which is a boolean of YAML without quotes.
            let _ = writeln!(card, "- \"{language}\"");
        }
    }
    let size = SIZES.iter().find(|(least, _)| manifest.documents >= *least);
    let size = size.map_or("", |(_, name)| name);
    let _ = writeln!(
        card,
        "size_categories:\n- {size}\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    \
         path: {DOCUMENTS}/*.{}",
        format.ending()
    );
    if let Some(fields) = types {
        let _ = write!(card, "dataset_info:\n  features:\n{fields}");
    }
    card.push_str("---\n\n");
    body(&mut card, documents, manifest, &languages);
    Some(card)
}

/// Adds what people read.
fn body(
    card: &mut String,
    documents: &SchemaRef,
    manifest: &Manifest,
    languages: &BTreeMap<&str, u64>,
) {
    let _ = writeln!(
        card,
        "Texts of web pages, written by [urltree](https://github.com/urltree/urltree): {} documents in {} files of \
         {:.1} MB. `manifest.json` has the files, their digests and the selection. The texts have the licences of their \
         pages.",
        manifest.documents,
        manifest.shards.len(),
        manifest.bytes as f64 / 1e6,
    );
    if !languages.is_empty() {
        card.push_str("\n| language | documents |\n|---|---|\n");
        for (language, documents) in languages {
            let _ = writeln!(card, "| {language} | {documents} |");
        }
        let known: u64 = languages.values().sum();
        if known < manifest.documents {
            let _ = writeln!(card, "| not known | {} |", manifest.documents - known);
        }
    }
    if manifest.request.format == Format::FineWeb {
        card.push_str(
            "\nThe columns are those of FineWeb. `id` is the `document_id` of urltree, `dump` the name of the collection, \
             `date` when the page was fetched.",
        );
        if Flat::of(documents)
            .schema()
            .field_with_name("token_count")
            .is_err()
        {
            card.push_str(" No tokenizer has counted a `token_count`.");
        }
        card.push('\n');
    }
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
    use crate::{Request, Shard};

    /// The manifest of two shards with documents in these languages.
    fn manifest(format: Format, documents: u64, languages: &[(&str, u64)]) -> Manifest {
        let languages = languages
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count));
        let shard = Shard {
            path: "documents/part-00000".to_owned(),
            documents: documents / 2,
            bytes: 1_250_000,
            sha256: String::new(),
            languages: languages.collect(),
        };
        Manifest {
            request: Request {
                format,
                documents_of: BTreeMap::new(),
                source: "test".to_owned(),
                shard_bytes: 1,
                tables: BTreeMap::new(),
                written_by: "test".to_owned(),
            },
            documents,
            bytes: 2_500_000,
            shards: vec![shard.clone(), shard],
        }
    }

    fn columns(names: &[&str]) -> SchemaRef {
        let field = |name: &&str| Field::new(*name, DataType::Utf8, false);
        Arc::new(Schema::new(names.iter().map(field).collect::<Vec<_>>()))
    }

    const NAMES: [&str; 7] = ["id", "text", "source", "url", "date", "added", "created"];

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
        let found = card(&schema, &manifest(Format::JsonLinesGzip, 10, &[])).unwrap();
        let expected = "---\nsize_categories:\n- n<1K\nconfigs:\n- config_name: default\n  data_files:\n  \
             - split: train\n    path: documents/*.jsonl.gz\n\
             dataset_info:\n  features:\n  - name: \"id\"\n    dtype: string\n  - name: \"metadata\"\n    \
             struct:\n    - name: \"count(*)\"\n      dtype: int64\n    - name: \"modified_at\"\n      \
             dtype: timestamp[us, tz=UTC]\n    - name: \"warnings\"\n      list: string\n---\n";
        assert!(found.starts_with(expected), "{found}");
        assert!(card(&schema, &manifest(Format::Wet, 10, &[])).is_none());
    }

    #[test]
    fn a_type_that_datasets_lacks_leaves_the_types_out() {
        let field = Field::new("took", DataType::Duration(TimeUnit::Second), true);
        let schema = Arc::new(Schema::new(vec![field]));
        let found = card(&schema, &manifest(Format::JsonLines, 10, &[])).unwrap();
        assert!(!found.contains("features") && found.contains("data_files"));
    }

    #[test]
    fn languages_of_all_shards_are_counted() {
        let languages = [("en", 600), ("no", 50)];
        let found = card(
            &columns(&NAMES),
            &manifest(Format::FineWeb, 1400, &languages),
        )
        .unwrap();
        let expected =
            "---\nlanguage:\n- \"en\"\n- \"no\"\nsize_categories:\n- 1K<n<10K\nconfigs:\n";
        assert!(found.starts_with(expected), "{found}");
        assert!(
            found.contains("path: documents/*.parquet\n---\n"),
            "{found}"
        );
        assert!(
            found.contains("1400 documents in 2 files of 2.5 MB"),
            "{found}"
        );
        assert!(
            found.contains("| en | 1200 |\n| no | 100 |\n| not known | 100 |\n"),
            "{found}"
        );
        assert!(found.contains("No tokenizer"), "{found}");
    }

    #[test]
    fn a_size_is_the_category_of_hugging_face() {
        for (documents, size) in [
            (0, "n<1K"),
            (999, "n<1K"),
            (1_000, "1K<n<10K"),
            (9_999_999, "1M<n<10M"),
            (2_000_000_000_000, "n>1T"),
        ] {
            let found = card(&columns(&NAMES), &manifest(Format::Parquet, documents, &[])).unwrap();
            assert!(
                found.contains(&format!("size_categories:\n- {size}\n")),
                "{found}"
            );
            assert!(!found.contains("language"), "{found}");
        }
    }
}

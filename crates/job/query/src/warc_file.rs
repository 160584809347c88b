//! The WARC file of a document, from the columns of the archive that are passed through.

use std::sync::Arc;

use arrow::array::{AsArray, StringArray};
use arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, Expr, Volatility, cast, create_udf};

/// The column that `urltree import` writes.
const WARC_FILE: &str = "warc_file";

/// Returns the expression of the value of `warc_file` in `archive`, a column with objects of JSON. It is null without one.
pub(crate) fn warc_file(archive: Expr) -> Expr {
    let files = |arguments: &[ColumnarValue]| -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(arguments)?;
        let archives = columns[0].as_string::<i32>().iter();
        let files: StringArray = archives.map(file_of).collect();
        Ok(ColumnarValue::Array(Arc::new(files)))
    };
    let function = create_udf(
        WARC_FILE,
        vec![DataType::Utf8],
        DataType::Utf8,
        Volatility::Immutable,
        Arc::new(files),
    );
    function.call(vec![cast(archive, DataType::Utf8)])
}

fn file_of(archive: Option<&str>) -> Option<String> {
    let columns: serde_json::Value = serde_json::from_str(archive?).ok()?;
    columns.get(WARC_FILE)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_among_the_columns_of_the_archive() {
        let archive = r#"{"warc_file":"crawl/a.warc.gz","warc_offset":7}"#;
        assert_eq!(file_of(Some(archive)).as_deref(), Some("crawl/a.warc.gz"));
        for none in [
            None,
            Some("{}"),
            Some(r#"{"warc_file":null}"#),
            Some("a.warc.gz"),
        ] {
            assert_eq!(file_of(none), None, "{none:?}");
        }
    }
}

//! Lines of JSON: CDXJ, and the answers of CDX servers with `output=json`.

use serde_json::{Map, Value};

use crate::record::{Field, Line, LineReason, Pointer, Record};

/// The fields of the rows of an array.
pub(crate) type Rows = Vec<Option<Field>>;

/// Reads a line of CDXJ: key, time and an object.
pub(crate) fn cdxj(key: &str, time: &str, object: &str) -> Result<Line, LineReason> {
    let mut record = fields(&parse(object)?)?;
    // Pointers of WACZ have a place and a digest. Records without URL, such as `warcinfo`, have no key.
    let describes_no_page = record.url.is_none() && record.mime.is_none() && key != "-";
    if let (Some(offset), Some(length), true) = (record.offset, record.length, describes_no_page) {
        return Ok(Line::Pointer(Pointer {
            key: format!("{key} {time}"),
            file: record.file,
            offset,
            length,
        }));
    }
    record.set(Field::Time, time)?;
    Ok(Line::Record(record))
}

/// Reads an object that is a line by itself, as pywb's server answers.
pub(crate) fn record(line: &str) -> Result<Record, LineReason> {
    let object = parse(line)?;
    for name in ["error", "message"] {
        if let (Some(Value::String(answer)), None) = (object.get(name), object.get("url")) {
            return Err(LineReason::Answer(answer.chars().take(200).collect()));
        }
    }
    fields(&object)
}

/// The file of blocks that a line such as `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` names.
pub(crate) fn file_of_blocks(line: &str) -> Option<String> {
    let object = parse(&line[line.find('{')?..]).ok()?;
    object.get("filename")?.as_str().map(str::to_owned)
}

/// Reads one row of an array of rows, as the Wayback Machine answers. The first row names the fields.
pub(crate) fn row(line: &str, rows: &mut Option<Rows>) -> Result<Option<Line>, LineReason> {
    let row = line.strip_suffix(',').unwrap_or(line);
    if matches!(row, "[" | "]") {
        return Ok(None);
    }
    let first = if row.starts_with("[[") {
        &row[1..]
    } else {
        row
    };
    let only = if first.ends_with("]]") {
        &first[..first.len() - 1]
    } else {
        first
    };
    let values: Vec<Value> = serde_json::from_str(only).map_err(|error| {
        let many = serde_json::from_str::<Vec<Vec<Value>>>(row);
        match many {
            Ok(_) => LineReason::ManyRows,
            Err(_) => LineReason::Json(error.to_string()),
        }
    })?;
    if values.is_empty() {
        return Ok(None);
    }
    // A second page of the answer has the header again.
    if values
        .iter()
        .any(|value| value == "timestamp" || value == "original")
    {
        let named = |value: &Value| value.as_str().and_then(Field::named);
        *rows = Some(values.iter().map(named).collect());
        return Ok(None);
    }
    let fields = rows.as_ref().ok_or(LineReason::NoHeader)?;
    let (seen, named) = (values.len(), fields.len());
    if seen != named {
        return Err(LineReason::OtherThanHeader { seen, named });
    }
    let mut record = Record::default();
    for (field, value) in fields.iter().zip(&values) {
        if let Some(field) = *field {
            set(&mut record, field, value)?;
        }
    }
    Ok(Some(Line::Record(record)))
}

fn parse(object: &str) -> Result<Map<String, Value>, LineReason> {
    serde_json::from_str(object).map_err(|error| LineReason::Json(error.to_string()))
}

fn fields(object: &Map<String, Value>) -> Result<Record, LineReason> {
    let mut record = Record::default();
    for (name, value) in object {
        if let Some(field) = Field::named(name) {
            set(&mut record, field, value)?;
        }
    }
    if let Some(detected) = object.get("mime-detected").and_then(Value::as_str)
        && (record.mime.is_none() || warc::is_html(Some(detected)) == Some(true))
    {
        record.set(Field::Mime, detected)?;
    }
    Ok(record)
}

/// Sets a field. Numbers may be numbers or texts.
fn set(record: &mut Record, field: Field, value: &Value) -> Result<(), LineReason> {
    match value {
        Value::Null => Ok(()),
        Value::String(text) => record.set(field, text),
        Value::Number(number) => record.set(field, &number.to_string()),
        other => Err(field.wrong(&other.to_string())),
    }
}

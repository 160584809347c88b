//! Lines of fields: CDX and the `.idx` of ZipNum.

use crate::record::{Field, LineReason, Pointer, Record};

/// The fields of a file, as its header names them.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(crate) delimiter: char,
    fields: Vec<Option<Field>>,
}

/// Fields of lines without a header. pywb knows them by their number too.
const ELEVEN: &str = "N b a m s k r M S V g";
const NINE: &str = "N b a m s k r V g";
const SEVEN: &str = "N b a m s k S";

/// The field of a letter of the legend. `n`, the length of an ARC record, is not the number of bytes in a compressed file, and `c`
/// is a checksum of another form.
fn field(letter: &str) -> Option<Field> {
    Some(match letter {
        "a" => Field::Url,
        "b" => Field::Time,
        "m" => Field::Mime,
        "s" => Field::Status,
        "k" => Field::Digest,
        "g" => Field::File,
        "V" => Field::Offset,
        "S" => Field::Length,
        _ => return None,
    })
}

/// Reads a header: the delimiter of the file, `CDX`, and the letters of the fields. Some writers leave out the first delimiter.
pub(crate) fn header(line: &str) -> Option<Columns> {
    let (first, rest) = match line.strip_prefix("CDX") {
        Some(rest) => (None, rest),
        None => {
            let first = line.chars().next()?;
            let rest = line[first.len_utf8()..].strip_prefix("CDX")?;
            (Some(first), rest)
        }
    };
    let delimiter = rest.chars().next()?;
    let is_header = first.is_none_or(|first| first == delimiter) && !delimiter.is_alphanumeric();
    let letters = rest[delimiter.len_utf8()..].trim_end();
    let are_letters = letters.split(delimiter).all(|letter| letter.len() == 1);
    (is_header && are_letters).then(|| Columns {
        delimiter,
        fields: letters.split(delimiter).map(field).collect(),
    })
}

/// Reads the fields of a record.
pub(crate) fn record(line: &str, columns: Option<&Columns>) -> Result<Record, LineReason> {
    let Some(Columns { delimiter, fields }) = columns else {
        let values: Vec<&str> = line.split(' ').collect();
        let letters = match values.len() {
            11 => ELEVEN,
            9 => NINE,
            7 => SEVEN,
            seen => return Err(LineReason::Fields { seen }),
        };
        return filled(letters.split(' ').map(field), values);
    };
    let values: Vec<&str> = line.split(*delimiter).collect();
    let (seen, named) = (values.len(), fields.len());
    if seen != named {
        return Err(LineReason::OtherThanHeader { seen, named });
    }
    filled(fields.iter().copied(), values)
}

fn filled(
    fields: impl Iterator<Item = Option<Field>>,
    values: Vec<&str>,
) -> Result<Record, LineReason> {
    let mut record = Record::default();
    for (field, value) in fields.zip(values) {
        if let Some(field) = field {
            record.set(field, value)?;
        }
    }
    Ok(record)
}

/// Reads `SURT TIME<TAB>FILE<TAB>OFFSET<TAB>LENGTH`, with or without the number of the block.
pub(crate) fn pointer(line: &str) -> Result<Pointer, LineReason> {
    let values: Vec<&str> = line.split('\t').collect();
    let [key, file, offset, length] = values[..values.len().min(4)] else {
        let seen = values.len();
        return Err(LineReason::PointerFields { seen });
    };
    let number = |field: Field, value: &str| value.parse().map_err(|_| field.wrong(value));
    Ok(Pointer {
        key: key.to_owned(),
        file: (!file.is_empty()).then(|| file.to_owned()),
        offset: number(Field::Offset, offset)?,
        length: number(Field::Length, length)?,
    })
}

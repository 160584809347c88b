//! The names of the files below a table. Files with other names are not ours.

use crate::{Bucket, Partitioning};

/// Whether `path`, below the folder of a table, is that of a data file: `date=2011-10-24/part-00001-UUID-c000.zstd.parquet`,
/// or `date=2011-10-24/3-of-16/part-…`. An unfinished file on a disk has `#` and a number behind it.
pub(crate) fn is_data_file(path: &str) -> bool {
    let Some((folder, rest)) = path.split_once('/') else {
        return false;
    };
    let name = match rest.split_once('/') {
        Some((bucket, name)) if Bucket::of_folder(bucket).is_some() => name,
        _ => rest,
    };
    let partitionings = [Partitioning::Day, Partitioning::Month, Partitioning::Year];
    let is_partition = |partitioning: &Partitioning| {
        let value = folder.strip_prefix(partitioning.column());
        let value = value.and_then(|value| value.strip_prefix('='));
        value.is_some_and(|value| partitioning.parse_value(value).is_some())
    };
    let rest = name.strip_prefix("part-").unwrap_or_default();
    let (number, rest) = rest.split_once('-').unwrap_or_default();
    let (id, end) = rest.split_at_checked(36).unwrap_or_default();
    let is_id = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    partitionings.iter().any(is_partition)
        && number.parse::<u32>().is_ok()
        && id.chars().all(is_id)
        && end.starts_with("-c")
        && !end.contains('/')
        && (end.ends_with(".parquet") || is_unfinished(end))
}

/// Whether `path`, below the folder of a table, is that of a file of its log.
pub(crate) fn is_log_file(path: &str) -> bool {
    path.starts_with("_delta_log/")
}

/// Whether a path has the name that `object_store` gives a local file until it is
/// finished: the final name, `#` and a number.
pub(crate) fn is_unfinished(path: &str) -> bool {
    path.rsplit_once(".parquet#")
        .is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_program_are_its_files() {
        let part = "part-00001-2b0a4e3c-5d0f-4a3c-9f57-0c4c7e0b7a11-c000.zstd.parquet";
        for own in ["date=2011-10-24", "month=2011-10", "year=2011"] {
            assert!(is_data_file(&format!("{own}/{part}")), "{own}");
            assert!(is_data_file(&format!("{own}/{part}#7")), "{own}");
            assert!(is_data_file(&format!("{own}/3-of-16/{part}")), "{own}");
        }
        for foreign in [
            "mine.parquet".to_owned(),
            part.to_owned(),
            format!("domain=x/{part}"),
            format!("date=soon/{part}"),
            "date=2011-10-24/mine.parquet".to_owned(),
            "date=2011-10-24/part-00001.parquet".to_owned(),
            format!("date=2011-10-24/old/{part}"),
            format!("date=2011-10-24/3-of-2/{part}"),
            format!("3-of-16/{part}"),
            format!("date=2011-10-24/{part}.bak"),
        ] {
            assert!(!is_data_file(&foreign), "{foreign}");
        }
    }
}

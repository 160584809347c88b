//! The places of the files that an index names.

use std::collections::BTreeMap;
use std::ops::Range;

use tables::Location;

use crate::wacz::Inside;

/// The folder of the WARC files in a WACZ file.
const ARCHIVE: &str = "archive/";

/// The folders that files are relative to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bases(BTreeMap<String, Base>);

/// A folder that files are relative to.
#[derive(Debug, Clone)]
struct Base {
    location: Location,
    /// The files of a WACZ file.
    inside: Option<BTreeMap<String, Range<u64>>>,
}

/// The place of a file.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The name that a user knows, which is that of an import of the whole file.
    pub(crate) label: String,
    /// The file, or the WACZ file that has it.
    pub(crate) location: Location,
    /// The bytes of the file in the WACZ file, empty if it is not there.
    pub(crate) within: Option<Range<u64>>,
}

impl Bases {
    /// Adds a folder. Returns its name, which [`joined`] needs.
    pub(crate) fn add(&mut self, location: Location) -> String {
        let name = location.to_string().trim_end_matches('/').to_owned();
        let base = Base {
            location,
            inside: None,
        };
        self.0.insert(name.clone(), base);
        name
    }

    /// Adds the files of a WACZ file.
    pub(crate) fn add_wacz(&mut self, location: Location, files: Vec<Inside>) -> String {
        let name = location.to_string();
        let inside = files.into_iter().filter_map(|file| {
            let path = file.name.strip_prefix(ARCHIVE)?;
            Some((path.to_owned(), file.range))
        });
        let base = Base {
            location,
            inside: Some(inside.collect()),
        };
        self.0.insert(name.clone(), base);
        name
    }

    /// The place of a file that [`joined`] has named.
    pub(crate) fn place(&self, file: &str) -> Option<Place> {
        let (base, path) = (self.0.iter().rev()).find_map(|(name, base)| {
            let path = file.strip_prefix(name.as_str())?.strip_prefix('/')?;
            Some((base, path))
        })?;
        let below = |location: &Location, path: &str| {
            (path.split('/')).fold(location.clone(), |at, part| at.child(part))
        };
        Some(match &base.inside {
            None => {
                let location = below(&base.location, path);
                Place {
                    label: location.to_string(),
                    location,
                    within: None,
                }
            }
            Some(inside) => {
                let path = path.strip_prefix(ARCHIVE).unwrap_or(path);
                Place {
                    label: below(&base.location.child("archive"), path).to_string(),
                    location: base.location.clone(),
                    within: Some(inside.get(path).cloned().unwrap_or_default()),
                }
            }
        })
    }
}

/// Joins a file that an index names to the folder `base`. Returns `None` if it is not below the folder.
pub(crate) fn joined(base: &str, file: &str) -> Option<String> {
    let is_name = |part: &str| {
        let is_plain = |letter: char| !letter.is_control() && letter != '\\';
        !matches!(part, "" | "." | "..") && part.chars().all(is_plain)
    };
    let is_below = !file.contains("://") && file.split('/').all(is_name);
    is_below.then(|| format!("{base}/{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_an_index_is_below_its_base() {
        let mut bases = Bases::default();
        let base = bases.add(Location::parse("https://a.example/crawl/").unwrap());
        let file = joined(&base, "CC/a b.warc.gz").unwrap();
        let place = bases.place(&file).unwrap();
        assert_eq!(place.label, "https://a.example/crawl/CC/a%20b.warc.gz");
        for file in [
            "../a",
            "a/../../b",
            "/etc/passwd",
            "http://b.example/a",
            "a//b",
            "a\\b",
            "",
            ".",
        ] {
            assert_eq!(joined(&base, file), None, "{file}");
        }
    }

    #[test]
    fn a_file_of_a_wacz_file_is_a_part_of_it() {
        let mut bases = Bases::default();
        let file = Inside {
            name: "archive/data.warc.gz".to_owned(),
            range: 40..90,
            is_compressed: false,
        };
        let base = bases.add_wacz(Location::parse("/c/a.wacz").unwrap(), vec![file]);
        let place = |name| bases.place(&joined(&base, name).unwrap()).unwrap();
        let found = place("data.warc.gz");
        assert_eq!(found.within, Some(40..90));
        assert_eq!(found.label, "/c/a.wacz/archive/data.warc.gz");
        assert_eq!(found.location.to_string(), "/c/a.wacz");
        assert_eq!(place("archive/data.warc.gz").within, Some(40..90));
        assert_eq!(place("other.warc.gz").within, Some(0..0));
    }
}

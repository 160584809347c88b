//! The indexes that a user names.

use std::ops::Range;

use object_store::ObjectMeta;
use tables::{Location, without_secrets};
use url::Url;

use crate::error::ImportError;
use crate::index::bases::Bases;
use crate::inputs::{Input, input_at, is_warc_file, object_at, objects};
use crate::wacz;

/// An index to read.
#[derive(Debug)]
pub(crate) struct Index {
    /// The name that a user knows.
    pub(crate) label: String,
    /// The folder of its files, as the bases name it.
    pub(crate) base: String,
    pub(crate) kind: Kind,
}

/// The form of an index.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Lines, which zip may have compressed.
    Lines { input: Input, is_deflated: bool },
    /// Parquet.
    Columns { location: Location, bytes: u64 },
    /// The answers of a server.
    Server(Url),
}

/// Returns the indexes that `names` name, and the folders of their files. `base` is the folder for all of them.
pub(crate) async fn expand(
    names: &[String],
    base: Option<&str>,
) -> Result<(Vec<Index>, Bases), ImportError> {
    let mut bases = Bases::default();
    let base = match base {
        Some(base) => Some(bases.add(Location::parse(base)?)),
        None => None,
    };
    let mut indexes = Vec::new();
    for name in names {
        if let Some(url) = server(name) {
            let label = without_secrets(name);
            indexes.push(Index {
                base: base.clone().ok_or_else(|| ImportError::NoBase {
                    index: label.clone(),
                })?,
                label,
                kind: Kind::Server(url),
            });
            continue;
        }
        for (location, meta) in files(Location::parse(name)?).await? {
            if location
                .path()
                .filename()
                .is_some_and(|name| name.ends_with(".wacz"))
            {
                indexes.extend(inside(&location, &meta, &mut bases).await?);
                continue;
            }
            let label = location.to_string();
            let base = match &base {
                Some(base) => base.clone(),
                None => {
                    let folder = label.rsplit_once('/').unwrap_or_default().0;
                    // The root of the file system.
                    let folder = if folder.is_empty() { "/" } else { folder };
                    bases.add(Location::parse(folder)?)
                }
            };
            let kind = if label.ends_with(".parquet") {
                Kind::Columns {
                    bytes: meta.size,
                    location,
                }
            } else {
                Kind::Lines {
                    input: input_at(location, &meta),
                    is_deflated: false,
                }
            };
            indexes.push(Index { label, base, kind });
        }
    }
    Ok((indexes, bases))
}

/// The URL of a server: one with a query, or whose path ends with `/cdx` or `-index`.
fn server(name: &str) -> Option<Url> {
    let url = Url::parse(name).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let path = url.path().trim_end_matches('/');
    let is_server = url.query().is_some() || path.ends_with("/cdx") || path.ends_with("-index");
    (is_web && is_server).then_some(url)
}

/// Whether a file in a folder is an index. Common Crawl's are `cdx-00000.gz`.
fn is_index(name: &str) -> bool {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let is_lines = plain.ends_with(".cdx") || plain.ends_with(".cdxj");
    let is_part = name.starts_with("cdx-") && name.ends_with(".gz");
    is_lines || is_part || name.ends_with(".parquet") || name.ends_with(".wacz")
}

/// The file at `location`, or the indexes in the folder there.
async fn files(location: Location) -> Result<Vec<(Location, ObjectMeta)>, ImportError> {
    let name = location.path().filename().unwrap_or_default().to_owned();
    let is_file = location.is_web() || is_index(&name);
    if let Some(meta) = object_at(&location, is_file).await? {
        return Ok(vec![(location, meta)]);
    }
    let found = objects(&location).await?.into_iter();
    let found = found.filter(|meta| is_index(meta.location.filename().unwrap_or_default()));
    let found: Vec<_> = found
        .map(|meta| (location.listed(&meta.location), meta))
        .collect();
    if found.is_empty() {
        return Err(ImportError::Index {
            index: location.to_string(),
            problem: "it is no file, and no file in it ends with .cdx, .cdxj, .cdx.gz, .cdxj.gz, .parquet or .wacz"
                .to_owned(),
        });
    }
    Ok(found)
}

/// The indexes in a WACZ file.
async fn inside(
    location: &Location,
    meta: &ObjectMeta,
    bases: &mut Bases,
) -> Result<Vec<Index>, ImportError> {
    let is_wanted = |name: &str| {
        let is_lines = name.starts_with("indexes/") && is_index(name);
        is_lines || (name.starts_with("archive/") && is_warc_file(name))
    };
    let files = wacz::files(location, meta.size, is_wanted).await?;
    let (files, indexes): (Vec<_>, Vec<_>) =
        (files.into_iter()).partition(|file| file.name.starts_with("archive/"));
    if indexes.is_empty() {
        return Err(ImportError::Index {
            index: location.to_string(),
            problem:
                "its folder indexes/ has no CDX; `urltree import warc` imports all of its records"
                    .to_owned(),
        });
    }
    if let Some(file) = files.iter().find(|file| file.is_compressed) {
        return Err(ImportError::Index {
            index: location.to_string(),
            problem: format!(
                "its {} is compressed by zip, which WACZ forbids; unpack it",
                file.name
            ),
        });
    }
    let base = bases.add_wacz(location.clone(), files);
    let input = |range: Range<u64>| Input {
        range: Some(range),
        ..input_at(location.clone(), meta)
    };
    let index = |file: wacz::Inside| Index {
        label: format!("{location}/{}", file.name),
        base: base.clone(),
        kind: Kind::Lines {
            input: input(file.range),
            is_deflated: file.is_compressed,
        },
    };
    Ok(indexes.into_iter().map(index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_a_query_or_the_name_of_one() {
        for name in [
            "https://index.commoncrawl.org/CC-MAIN-2024-10-index",
            "http://web.archive.org/cdx/search/cdx",
            "http://host/answer?collection=a",
        ] {
            assert!(server(name).is_some(), "{name}");
        }
        for name in [
            "https://host/a.cdx",
            "s3://bucket/cdx",
            "crawl/cdx",
            "https://host/cdx-00000.gz",
        ] {
            assert!(server(name).is_none(), "{name}");
        }
    }

    #[test]
    fn an_index_is_known_by_its_name() {
        for name in [
            "a.cdx",
            "a.cdxj.gz",
            "cdx-00001.gz",
            "part-1.c000.gz.parquet",
            "a.wacz",
        ] {
            assert!(is_index(name), "{name}");
        }
        for name in ["cluster.idx", "a.warc.gz", "cdx.txt"] {
            assert!(!is_index(name), "{name}");
        }
    }
}

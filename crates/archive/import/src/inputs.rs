//! The files that the inputs of an import name.

use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;

use futures::{StreamExt, TryStreamExt};
use md5::{Digest, Md5};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use tables::Location;

use crate::error::ImportError;
use crate::store;
use crate::wacz;

/// Ends of the names of WARC and ARC files that a job reads.
const ENDS: [&str; 6] = [
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".warc.zstd",
    ".arc",
    ".arc.gz",
];

/// Whether a file of this name is a WARC or an ARC file.
pub fn is_warc_file(name: &str) -> bool {
    ENDS.iter().any(|end| name.ends_with(end))
}

/// End of the name of a file of WARC files.
const WACZ: &str = ".wacz";
/// Most bytes of a list of paths without its compression: some three million paths.
const MAX_LIST_BYTES: u64 = 512 << 20;

/// Small requests that are sent at a time. A monthly list of Common Crawl has 90,000 paths.
pub(crate) const REQUESTS_AT_A_TIME: usize = 32;

/// A file to import.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// The name of its objects, which is that of no other input.
    pub(crate) name: String,
    /// The name that a user knows.
    pub(crate) label: String,
    /// `None` is standard input.
    pub(crate) location: Option<Location>,
    /// The bytes of the object that are the file, if it is in another one.
    pub(crate) range: Option<Range<u64>>,
    pub(crate) bytes: Option<u64>,
    /// Changes with the content.
    pub(crate) tag: Option<String>,
}

/// Returns the files of `inputs`, each once, in the order of the inputs.
pub(crate) async fn expand(
    inputs: &[String],
    base: Option<&str>,
) -> Result<Vec<Input>, ImportError> {
    let mut found = Vec::new();
    for input in inputs {
        if input == "-" {
            found.push(Input {
                name: "stdin".to_owned(),
                label: "standard input".to_owned(),
                location: None,
                range: None,
                bytes: None,
                tag: None,
            });
        } else if input.ends_with(".paths") || input.ends_with(".paths.gz") {
            let lines = list(&Location::parse(input)?, base).await?;
            let files = lines
                .into_iter()
                .map(|line| async move { file(Location::parse(&line)?).await });
            let files = futures::stream::iter(files).buffered(REQUESTS_AT_A_TIME);
            found.extend(files.try_collect::<Vec<_>>().await?);
        } else if input.contains('*') {
            found.extend(pattern(input).await?);
        } else {
            found.extend(file_or_folder(Location::parse(input)?).await?);
        }
    }
    let mut files = Vec::new();
    for input in found {
        match input.location.clone() {
            Some(location) if input.label.ends_with(WACZ) => {
                files.extend(inside(&input, &location).await?);
            }
            _ => files.push(input),
        }
    }
    let mut found = files;
    let mut names = BTreeSet::new();
    found.retain(|input| names.insert(input.name.clone()));
    Ok(found)
}

/// Returns the WARC files in the WACZ file `input`.
async fn inside(input: &Input, location: &Location) -> Result<Vec<Input>, ImportError> {
    let bytes = input.bytes.unwrap_or_default();
    let files = wacz::warc_files(location, bytes, is_warc_file).await?;
    let file = |(path, range): (String, Range<u64>)| {
        let at = path
            .split('/')
            .fold(location.clone(), |at, part| at.child(part));
        Input {
            name: name(&at),
            label: at.to_string(),
            location: Some(location.clone()),
            bytes: Some(range.end - range.start),
            range: Some(range),
            tag: input.tag.clone(),
        }
    };
    Ok(files.into_iter().map(file).collect())
}

/// Reads a list of paths: one a line, a URL or relative to `base` or to the folder of the list.
async fn list(list: &Location, base: Option<&str>) -> Result<Vec<String>, ImportError> {
    let failed = |problem: String| ImportError::List {
        list: list.to_string(),
        problem,
    };
    let bytes = store::read(list, "find").await?;
    let mut text = String::new();
    let read = if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .take(MAX_LIST_BYTES)
            .read_to_string(&mut text)
    } else {
        bytes.as_slice().read_to_string(&mut text)
    };
    read.map_err(|error| failed(error.to_string()))?;
    let base = match base {
        Some(base) => Location::parse(base)?.to_string(),
        None => {
            let list = list.to_string();
            list.rsplit_once('/').unwrap_or_default().0.to_owned()
        }
    };
    // The root of a host ends with a slash.
    let base = base.trim_end_matches('/');
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.map(|line| match line {
        line if line.contains("://") || line.starts_with('/') => line.to_owned(),
        line => format!("{base}/{line}"),
    });
    Ok(lines.collect())
}

/// Returns the objects that match a path or URL with `*`, which stands for letters other than `/`.
async fn pattern(input: &str) -> Result<Vec<Input>, ImportError> {
    let before = input.split('*').next().unwrap_or_default();
    let folder = before.rfind('/').map_or(".", |end| &before[..=end]);
    let location = Location::parse(folder)?;
    let rest = &input[before.rfind('/').map_or(0, |end| end + 1)..];
    let folder = location.to_string();
    let matches = |path: &Path| {
        let object = location.listed(path).to_string();
        let below = object.strip_prefix(&folder);
        below.is_some_and(|below| is_match(rest, below.trim_start_matches('/')))
    };
    let found = objects(&location).await?;
    let found: Vec<Input> = (found.into_iter())
        .filter(|meta| matches(&meta.location))
        .map(|meta| input_at(location.listed(&meta.location), &meta))
        .collect();
    if found.is_empty() {
        let input = tables::without_secrets(input);
        return Err(ImportError::NoFile { input });
    }
    Ok(found)
}

/// Whether `text` matches `pattern`.
fn is_match(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.find('/').unwrap_or(rest.len());
            (0..=ends)
                .filter(|end| rest.is_char_boundary(*end))
                .any(|end| is_match(after, &rest[end..]))
        }),
    }
}

fn is_input(name: &str) -> bool {
    is_warc_file(name) || name.ends_with(WACZ)
}

/// Returns the object at `location`. `None` if there is none, unless `is_file` says that it is no folder.
pub(crate) async fn object_at(
    location: &Location,
    is_file: bool,
) -> Result<Option<ObjectMeta>, ImportError> {
    match location.store().head(location.path()).await {
        Ok(meta) => Ok(Some(meta)),
        Err(source) if is_file => Err(ImportError::Store {
            doing: "find",
            object: location.to_string(),
            source,
        }),
        Err(_) => Ok(None),
    }
}

async fn file_or_folder(location: Location) -> Result<Vec<Input>, ImportError> {
    let name = location.path().filename().unwrap_or_default().to_owned();
    let is_file = location.is_web() || is_input(&name);
    if let Some(meta) = object_at(&location, is_file).await? {
        return Ok(vec![input_at(location, &meta)]);
    }
    let found = objects(&location).await?.into_iter();
    let found = found.filter(|meta| {
        let name = meta.location.filename().unwrap_or_default();
        is_input(name)
    });
    let found = found.map(|meta| input_at(location.listed(&meta.location), &meta));
    let found: Vec<Input> = found.collect();
    if found.is_empty() {
        let input = location.to_string();
        return Err(ImportError::NoFile { input });
    }
    Ok(found)
}

impl Input {
    /// The input of a folder that is one list, without its tag.
    pub(crate) fn folder(location: &Location, bytes: u64) -> Self {
        Self {
            name: name(location),
            label: location.to_string(),
            location: Some(location.clone()),
            range: None,
            bytes: Some(bytes),
            tag: None,
        }
    }
}

/// Returns the input of one file.
pub(crate) async fn file(location: Location) -> Result<Input, ImportError> {
    let meta = location.store().head(location.path()).await;
    let meta = meta.map_err(|source| ImportError::Store {
        doing: "find",
        object: location.to_string(),
        source,
    })?;
    Ok(input_at(location, &meta))
}

/// Lists a folder in path order.
pub(crate) async fn objects(folder: &Location) -> Result<Vec<ObjectMeta>, ImportError> {
    let listed = folder.store().list(Some(folder.path()));
    let listed = listed.try_collect::<Vec<_>>().await;
    let mut listed = listed.map_err(|source| ImportError::Store {
        doing: "list",
        object: folder.to_string(),
        source,
    })?;
    listed.sort_by(|a, b| a.location.cmp(&b.location));
    Ok(listed)
}

/// Returns the input at `location` in the state of `meta`.
pub(crate) fn input_at(location: Location, meta: &ObjectMeta) -> Input {
    Input {
        name: name(&location),
        label: location.to_string(),
        range: None,
        bytes: Some(meta.size),
        tag: Some(match &meta.e_tag {
            Some(tag) if !location.url().scheme().eq("file") => tag.clone(),
            _ => meta.last_modified.timestamp_micros().to_string(),
        }),
        location: Some(location),
    }
}

/// Returns a name for the objects of a file: its own name, and a digest of its URL, because two
/// folders can have files of one name.
fn name(location: &Location) -> String {
    let name = location.path().filename().unwrap_or("input");
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name: String = (name.chars().take(120))
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    let digest = Md5::digest(location.url().as_str().as_bytes());
    let digest: String = digest
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}-{digest}", name.trim_start_matches(['_', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_within_a_folder() {
        assert!(is_match("a/*.warc.gz", "a/b.warc.gz"));
        assert!(is_match("*/*.warc", "a/b.warc"));
        assert!(!is_match("*.warc", "a/b.warc"));
        assert!(!is_match("a*.warc", "b.warc"));
    }

    #[test]
    fn files_of_one_name_have_two_names() {
        let one = name(&Location::parse("/a/x y.warc.gz").unwrap());
        let two = name(&Location::parse("/b/x y.warc.gz").unwrap());
        assert!(one.starts_with("x_y.warc.gz-") && one != two, "{one} {two}");
    }
}

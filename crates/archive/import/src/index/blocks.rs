//! Blocks of lines of a sorted index (`ZipNum`). Common Crawl's names the files of its blocks. That of pywb names parts, and the
//! file of the same name with `.loc` says where each is: a line has the name of the part, a tab, and its path.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::Range;

use crawl_index::Pointer;
use object_store::ObjectStoreExt;
use tables::Location;

use crate::error::ImportError;
use crate::index::bases::{Bases, joined};
use crate::index::chooser::{Chooser, Origin};
use crate::index::text;

/// Most bytes of blocks that are read together. A block of Common Crawl has 3,000 lines, some 250 KB.
const MOST_BYTES: u64 = 8 << 20;
/// First bytes of a block.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads the lines of `blocks`, which are relative to the folder of their index.
pub(crate) async fn read(
    blocks: Vec<Pointer>,
    origin: &Origin,
    mut chooser: Chooser,
) -> Result<Chooser, ImportError> {
    let folder = origin.index.rsplit_once('/').unwrap_or_default().0;
    let mut folders = Bases::default();
    let folder = folders.add(Location::parse(folder)?);
    let places = places(origin, &folder, &folders).await?;
    for (part, range) in ranges(blocks) {
        let file = places.get(&part).cloned().unwrap_or(part);
        let problem = |problem: String| ImportError::Index {
            index: origin.index.clone(),
            problem,
        };
        let place = joined(&folder, &file).and_then(|file| folders.place(&file));
        let place =
            place.ok_or_else(|| problem(format!("`{file}` is not a file below its folder")))?;
        let at = place.location;
        let bytes = at.store().get_range(at.path(), range.clone()).await;
        let bytes = bytes.map_err(|source| ImportError::Store {
            doing: "read",
            object: place.label.clone(),
            source,
        })?;
        let of_block = Origin {
            index: format!("{} from byte {}", place.label, range.start),
            ..origin.clone()
        };
        if !bytes.starts_with(&GZIP) {
            return Err(problem(format!(
                "no block begins at byte {} of {}",
                range.start, place.label
            )));
        }
        text::take(Cursor::new(bytes), &of_block, &mut chooser)?;
    }
    Ok(chooser)
}

/// Reads the files of parts, relative to the folder of the index. Empty if no file says them.
async fn places(
    origin: &Origin,
    folder: &str,
    folders: &Bases,
) -> Result<HashMap<String, String>, ImportError> {
    let name = origin.index.rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".idx").map(|name| format!("{name}.loc"));
    let file = name.and_then(|name| joined(folder, &name));
    let Some(place) = file.and_then(|file| folders.place(&file)) else {
        return Ok(HashMap::new());
    };
    let at = place.location;
    let lines = match at.store().get(at.path()).await {
        Ok(found) => found.bytes().await,
        Err(object_store::Error::NotFound { .. }) => return Ok(HashMap::new()),
        Err(error) => Err(error),
    };
    let lines = lines.map_err(|source| ImportError::Store {
        doing: "read",
        object: place.label,
        source,
    })?;
    let lines = String::from_utf8_lossy(&lines);
    let fields = lines.lines().filter_map(|line| line.split_once('\t'));
    // A part may be in several places.
    let first = |paths: &str| {
        paths
            .split('\t')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    Ok(fields
        .map(|(part, paths)| (part.trim().to_owned(), first(paths)))
        .collect())
}

/// Files and ranges of blocks. Blocks behind each other are one range.
fn ranges(blocks: Vec<Pointer>) -> Vec<(String, Range<u64>)> {
    let mut ranges: Vec<(String, Range<u64>)> = Vec::new();
    for block in blocks {
        let file = block.file.unwrap_or_default();
        let end = block.offset.saturating_add(block.length);
        match ranges.last_mut() {
            Some((last, range))
                if *last == file
                    && range.end == block.offset
                    && end - range.start <= MOST_BYTES =>
            {
                range.end = end;
            }
            _ => ranges.push((file, block.offset..end)),
        }
    }
    ranges
}

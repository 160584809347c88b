//! Blocks of lines of a sorted index (`ZipNum`).

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
    for (file, range) in ranges(blocks) {
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

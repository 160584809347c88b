//! The page of one archive row, parsed as a run parses it.

use object_store::ObjectStoreExt;
use site_replay::{Labelling, MAX_LAYOUT_BYTES};
use template::{Layout, Outline};
use url_tree::BlockHash;

use crate::archive::{ArchiveSource, ObjectState};
use crate::error::EngineError;
use crate::job::{Job, Settings};
use crate::plan::columns::blocks::{ParsedPage, layout};
use crate::plan::html_reader::{PageStream, page_request};
use crate::plan::steps::parse_pages::{Fetched, parse};
use crate::state::delta_scan::external;
use crate::state::explain::fetches::Fetch;

/// Reads and parses the page of a fetch. The inner error is the reason why it has no blocks.
pub(super) async fn parsed(
    job: &Job,
    fetch: &Fetch,
) -> Result<Result<ParsedPage, String>, EngineError> {
    let archive = &job.archive;
    let Some(row) = fetch.row else {
        return Ok(Err("the object could not be opened".to_owned()));
    };
    let object = state(archive, &fetch.source).await?;
    let opened = archive.open(&object).await.map_err(EngineError::query)?;
    let row_group = row_group(&opened, row).ok_or_else(|| EngineError::Relabelled {
        url: fetch.url.clone().unwrap_or_default(),
        difference: format!("{} has no row {row}", fetch.source),
    })?;
    let request = page_request(archive, object, row_group, vec![row]);
    let read = request.read(archive).await.map_err(EngineError::query)?;
    let pages = PageStream::new(read).next().map_err(EngineError::query)?;
    let pages = match pages {
        Some(Ok(pages)) => pages,
        Some(Err(error)) => return Ok(Err(error.to_string())),
        None => return Ok(Err("the row has no page".to_owned())),
    };
    let fetched = Fetched {
        url: fetch.url.as_deref().unwrap_or_default(),
        date: fetch.date,
    };
    let Some(page) = pages.iter().next() else {
        return Ok(Err("the row has no page".to_owned()));
    };
    let parsed = parse(page, fetched, &job.settings).map_err(EngineError::query)?;
    Ok(parsed.map_err(|(_, detail)| detail))
}

/// The state of an object now. A run has noted its own, and no table has it.
async fn state(archive: &ArchiveSource, source: &str) -> Result<ObjectState, EngineError> {
    let found = archive.location.store().head(&archive.path(source)?).await;
    let found = found.map_err(|error| EngineError::Store {
        doing: "read",
        object: source.to_owned(),
        source: error,
    })?;
    Ok(ObjectState {
        source: source.to_owned(),
        bytes: found.size,
        version: None,
    })
}

/// Returns the row group with a row, which is a position in the object.
fn row_group(object: &crate::archive::OpenObject, row: i64) -> Option<i32> {
    let mut first = 0;
    for (index, group) in object.metadata().row_groups().iter().enumerate() {
        first += group.num_rows();
        if row < first {
            return i32::try_from(index).ok();
        }
    }
    None
}

/// The hashes of the blocks of a page.
pub(super) fn hashes(page: &ParsedPage) -> Vec<BlockHash> {
    page.page.blocks.iter().map(|block| block.hash).collect()
}

/// The outline of a page, if its labels come from the template and its layout is not too large.
pub(super) fn outline(
    page: &ParsedPage,
    settings: &Settings,
) -> Result<Option<Outline>, EngineError> {
    if settings.labelling != Labelling::Template {
        return Ok(None);
    }
    let layout = layout(&page.page);
    if layout.len() > MAX_LAYOUT_BYTES {
        return Ok(None);
    }
    let layout =
        Layout::from_bytes(&layout).map_err(|error| EngineError::query(external(error)))?;
    Ok(Some(Outline::new(&layout.blocks())))
}

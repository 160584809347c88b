//! Pages of archive rows, parsed as a run parses them.

use std::collections::BTreeMap;

use object_store::ObjectStoreExt;
use site_replay::{Labelling, MAX_LAYOUT_BYTES};
use template::{Layout, Outline};
use url_tree::BlockHash;

use crate::archive::{ArchiveSource, ObjectState};
use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::blocks::{ParsedPage, layout};
use crate::plan::html_reader::{PageBytes, PageStream, page_request};
use crate::plan::steps::parse_pages::{Fetched, parse};
use crate::settings::Settings;
use crate::state::explain::fetches::Fetch;
use crate::tables_state::delta_scan::external;

/// Reads and parses the pages of fetches, each row group once. An inner error is the reason why a page has no
/// blocks.
pub(super) async fn parsed(
    job: &Job,
    fetches: &[Fetch],
) -> Result<Vec<Result<ParsedPage, String>>, EngineError> {
    let mut objects: BTreeMap<&str, BTreeMap<i64, usize>> = BTreeMap::new();
    for (at, fetch) in fetches.iter().enumerate() {
        if let Some(row) = fetch.row {
            objects.entry(&fetch.source).or_default().insert(row, at);
        }
    }
    let missing = |fetch: &Fetch| match fetch.row {
        Some(_) => Err("the row has no page".to_owned()),
        None => Err("the object could not be opened".to_owned()),
    };
    let mut pages: Vec<_> = fetches.iter().map(missing).collect();
    for (source, rows) in objects {
        let object = state(&job.archive, source).await?;
        for (row_group, rows) in row_groups(&job.archive, &object, rows, fetches).await? {
            let positions = rows.iter().map(|(row, _)| *row).collect();
            let request = page_request(&job.archive, object.clone(), row_group, positions);
            let read = request.read(&job.archive).await;
            let mut stream = PageStream::new(read.map_err(EngineError::query)?);
            let mut rows = rows.into_iter();
            while let Some(next) = stream.next().map_err(EngineError::query)? {
                match next {
                    Ok(read) => {
                        for (page, (_, at)) in read.iter().zip(rows.by_ref().take(read.len())) {
                            pages[at] = parsed_page(page, &fetches[at], &job.settings)?;
                        }
                    }
                    Err(error) => {
                        for (_, at) in rows.by_ref() {
                            pages[at] = Err(error.to_string());
                        }
                    }
                }
            }
        }
    }
    Ok(pages)
}

fn parsed_page(
    page: PageBytes<'_>,
    fetch: &Fetch,
    settings: &Settings,
) -> Result<Result<ParsedPage, String>, EngineError> {
    let fetched = Fetched {
        url: fetch.url.as_deref().unwrap_or_default(),
        date: fetch.date,
    };
    let parsed = parse(page, fetched, settings).map_err(EngineError::query)?;
    Ok(parsed.map_err(|(_, detail)| detail))
}

/// Rows of an object and their positions among the fetches, in order, by row group.
type RowGroups = BTreeMap<i32, Vec<(i64, usize)>>;

/// Finds the row groups of rows.
async fn row_groups(
    archive: &ArchiveSource,
    object: &ObjectState,
    rows: BTreeMap<i64, usize>,
    fetches: &[Fetch],
) -> Result<RowGroups, EngineError> {
    let opened = archive.open(object).await.map_err(EngineError::query)?;
    let mut groups = RowGroups::new();
    for (row, at) in rows {
        let group = row_group(&opened, row).ok_or_else(|| EngineError::Relabelled {
            url: fetches[at].url.clone().unwrap_or_default(),
            difference: format!("{} has no row {row}", object.source),
        })?;
        groups.entry(group).or_default().push((row, at));
    }
    Ok(groups)
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
    if settings.site.labelling != Labelling::Template {
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

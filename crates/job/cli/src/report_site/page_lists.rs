//! Lists of pages: the newest and the worst of a domain, and those with a text.

use std::collections::BTreeMap;

use anyhow::Result;
use query::TablesSession;
use report::{DomainPage, ListedPage};
use tables::Table;

use crate::report_site::query_rows::{Row, for_each};
use crate::report_site::selection::quoted;

/// Pages in a list of the page of a domain.
const LISTED_PAGES: usize = 10;

/// The columns of a page in a list.
const COLUMNS: &str = "domain, url, title, CAST(fetched_at AS BIGINT) AS micros, content_blocks, blocks, \
     content_chars, boilerplate_chars";

/// The order of the newest pages. Two revisions of one time differ in their status.
const NEWEST: &str = "fetched_at DESC, url, status";

/// The order of the pages with the least content.
const WORST: &str = "CAST(content_chars AS DOUBLE) / greatest(content_chars + boilerplate_chars, 1), \
     fetched_at, url, status";

/// Adds the newest pages of each domain, and those with the least content.
pub(super) async fn add_pages(
    tables: &TablesSession,
    within: &str,
    pages: &mut BTreeMap<String, DomainPage>,
) -> Result<()> {
    for (order, is_newest) in [(NEWEST, true), (WORST, false)] {
        let sql = format!(
            "SELECT * FROM (SELECT {COLUMNS}, row_number() OVER (PARTITION BY domain ORDER BY {order}) AS place \
             FROM documents WHERE {within}) WHERE place <= {LISTED_PAGES} ORDER BY domain, place"
        );
        for_each(tables, &sql, |row| {
            if let Some(page) = pages.get_mut(row.text("domain")) {
                let list = match is_newest {
                    true => &mut page.newest,
                    false => &mut page.worst,
                };
                list.push(listed(row));
            }
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// Returns the newest `most` pages with a text in their URL, title or text, in any case of letters; an empty text and an empty
/// domain are any.
pub(crate) async fn pages_with(
    tables: &TablesSession,
    text: &str,
    domain: &str,
    most: usize,
) -> Result<Vec<ListedPage>> {
    let mut pages = Vec::new();
    if !tables.has(Table::Documents) {
        return Ok(pages);
    }
    let mut conditions = vec!["TRUE".to_owned()];
    if !domain.is_empty() {
        conditions.push(format!("domain = {}", quoted(domain)));
    }
    if !text.is_empty() {
        let text = quoted(text);
        let has = |column| format!("strpos(lower({column}), lower({text})) > 0");
        conditions.push(format!(
            "({})",
            ["url", "title", "text"].map(has).join(" OR ")
        ));
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM documents WHERE {} ORDER BY {NEWEST} LIMIT {most}",
        conditions.join(" AND ")
    );
    for_each(tables, &sql, |row| {
        pages.push(listed(row));
        Ok(())
    })
    .await?;
    Ok(pages)
}

fn listed(row: Row<'_>) -> ListedPage {
    let count = |column| row.count(column).unwrap_or(0);
    ListedPage {
        url: row.text("url").to_owned(),
        title: row.text("title").to_owned(),
        domain: row.text("domain").to_owned(),
        fetched_at: row.number("micros").unwrap_or(0),
        content_blocks: count("content_blocks"),
        blocks: count("blocks"),
        content_chars: count("content_chars"),
        boilerplate_chars: count("boilerplate_chars"),
        file: None,
    }
}

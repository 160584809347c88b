//! The overview of texts: their lengths, their languages, and the changes of the last run.

use anyhow::Result;
use query::TablesSession;
use report::{Count, Day, DomainRow, LastRun, SiteOfRun, Texts};
use tables::Table;

use crate::report_site::queries::counts;
use crate::report_site::query_rows::for_each;
use crate::report_site::selection::{Selection, quoted};

/// Languages in the overview. The others are one.
const LANGUAGES: usize = 8;

/// Lengths of texts, in characters: the first that is too long for a class, and the name of the class.
const LENGTHS: [(u64, &str); 4] = [
    (250, "under 250 characters"),
    (1_000, "250 to 999"),
    (4_000, "1,000 to 3,999"),
    (16_000, "4,000 to 15,999"),
];

/// The class of longer texts.
const LONGEST: &str = "16,000 and more";

/// The class of pages without a text.
const EMPTY: &str = "no text";

/// Returns what the overview says about the texts of `days`. `sites` are all sites with documents.
pub(super) async fn texts(
    tables: &TablesSession,
    selection: Selection<'_>,
    days: &[Day],
    sites: &[DomainRow],
) -> Result<Texts> {
    if !tables.has(Table::Documents) {
        return Ok(Texts::default());
    }
    let mut texts = Texts::default().with_sites(sites);
    texts.lengths = lengths(tables, selection).await?;
    texts.languages = languages(tables, selection).await?;
    texts.last_run = last_run(tables, selection, days, sites).await?;
    Ok(texts)
}

async fn lengths(tables: &TablesSession, selection: Selection<'_>) -> Result<Vec<Count>> {
    let classes =
        LENGTHS.map(|(end, name)| format!("WHEN content_chars < {end} THEN {}", quoted(name)));
    let sql = format!(
        "SELECT CASE WHEN content_blocks = 0 THEN {} {} ELSE {} END AS name, count(*) AS rows FROM documents \
         WHERE {} GROUP BY 1",
        quoted(EMPTY),
        classes.join(" "),
        quoted(LONGEST),
        selection.condition()
    );
    let found = counts(tables, &sql).await?;
    let names = LENGTHS.iter().map(|(_, name)| *name);
    let names = [EMPTY].into_iter().chain(names).chain([LONGEST]);
    let count = |name: &str| {
        let count = found.iter().find(|count| count.name == name);
        count.map_or(0, |count| count.count)
    };
    Ok(names
        .map(|name| Count {
            name: name.to_owned(),
            count: count(name),
        })
        .collect())
}

async fn languages(tables: &TablesSession, selection: Selection<'_>) -> Result<Vec<Count>> {
    let sql = format!(
        "SELECT coalesce(language, 'not known') AS name, count(*) AS rows FROM documents \
         WHERE content_blocks > 0 AND {} GROUP BY 1 ORDER BY rows DESC, name",
        selection.condition()
    );
    let mut found = counts(tables, &sql).await?;
    if found.iter().all(|count| count.name == "not known") {
        return Ok(Vec::new());
    }
    let others: u64 = found.iter().skip(LANGUAGES).map(|count| count.count).sum();
    found.truncate(LANGUAGES);
    if others > 0 {
        found.push(Count {
            name: "others".to_owned(),
            count: others,
        });
    }
    Ok(found)
}

async fn last_run(
    tables: &TablesSession,
    selection: Selection<'_>,
    days: &[Day],
    sites: &[DomainRow],
) -> Result<Option<LastRun>> {
    let Some(last) = days.iter().max_by_key(|day| (day.started_at, &day.date)) else {
        return Ok(None);
    };
    let of_run = || days.iter().filter(|day| day.run_id == last.run_id);
    let (Some(first), Some(end)) = (of_run().next(), of_run().next_back()) else {
        return Ok(None);
    };
    let mut run = LastRun {
        dates: match first.date == end.date {
            true => first.date.clone(),
            false => format!("{} to {}", first.date, end.date),
        },
        rows: of_run().map(|day| day.rows).sum(),
        ..LastRun::default()
    };
    let sql = format!(
        "SELECT domain, count(*) FILTER (WHERE is_new) AS new, \
           count(*) FILTER (WHERE is_new AND content_blocks = 0) AS new_empty, \
           count(*) FILTER (WHERE NOT is_new) AS before, \
           count(*) FILTER (WHERE NOT is_new AND content_blocks = 0) AS before_empty \
         FROM (SELECT domain, content_blocks, run_id = {} AS is_new FROM \
           (SELECT date, domain, content_blocks FROM documents WHERE {}) AS pages \
           JOIN runs ON pages.date = runs.date) GROUP BY domain ORDER BY domain",
        quoted(&last.run_id),
        selection.condition()
    );
    for_each(tables, &sql, |row| {
        let count = |column| row.count(column).unwrap_or(0);
        let domain = row.text("domain");
        let site = sites.iter().find(|site| site.domain == domain);
        run.documents += count("new");
        run.sites.push(SiteOfRun {
            domain: domain.to_owned(),
            file: site.and_then(|site| site.file.clone()),
            new: count("new"),
            new_empty: count("new_empty"),
            before: count("before"),
            before_empty: count("before_empty"),
        });
        Ok(())
    })
    .await?;
    Ok(Some(run))
}

//! The queries of a report.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use query::TablesSession;
use report::{Count, Day, DomainDay, DomainPage, DomainRow, DroppedBlock, QuarantineRow};
use tables::Table;
use template::PagePaths;

use crate::report_site::page_lists::add_pages;
use crate::report_site::query_rows::{Row, for_each};
use crate::report_site::selection::{Selection, quoted};
use crate::report_site::site_profile::SiteProfile;

/// The steps of the normalisation that find duplicates, in order.
const STEPS: [&str; 7] = [
    "identical_url",
    "redirect",
    "encoding",
    "dropped_query",
    "rule",
    "learned_parameter",
    "same_content",
];

/// Texts of a domain's boilerplate in its page.
const DROPPED_TEXTS: usize = 15;

/// Returns the dates with their row accounting and costs.
pub(crate) async fn days(tables: &TablesSession, selection: Selection<'_>) -> Result<Vec<Day>> {
    let sql = format!(
        "SELECT CAST(date AS VARCHAR) AS date, run_id, CAST(started_at AS BIGINT) AS started_at, archive_rows, unique_pages, duplicates, revisions, \
         blocklisted, quarantined, html_bytes, text_bytes, seconds, \
         peak_memory_bytes, spilled_bytes FROM runs WHERE {} ORDER BY date",
        selection.of_dates()
    );
    let mut days = Vec::new();
    for_each(tables, &sql, |row| {
        let count = |column| row.count(column).unwrap_or(0);
        days.push(Day {
            date: row.text("date").to_owned(),
            run_id: row.text("run_id").to_owned(),
            started_at: row.number("started_at").unwrap_or(0),
            rows: count("archive_rows"),
            unique: count("unique_pages"),
            duplicates: count("duplicates"),
            revisions: count("revisions"),
            blocklisted: count("blocklisted"),
            quarantined: count("quarantined"),
            html_bytes: count("html_bytes"),
            text_bytes: count("text_bytes"),
            seconds: row.fraction("seconds"),
            memory: row.count("peak_memory_bytes"),
            spilled: row.count("spilled_bytes"),
        });
        Ok(())
    })
    .await?;
    Ok(days)
}

/// Returns the duplicates by the step that found them.
pub(crate) async fn duplicates(
    tables: &TablesSession,
    selection: Selection<'_>,
) -> Result<Vec<Count>> {
    if !tables.has(Table::UrlKeys) {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT merged_by AS name, count(*) AS rows FROM url_keys \
         WHERE status IN ('duplicate', 'revision') AND {} GROUP BY merged_by",
        selection.condition()
    );
    let mut counts = counts(tables, &sql).await?;
    counts.sort_by_key(|count| STEPS.iter().position(|step| *step == count.name));
    Ok(counts)
}

/// Returns the rows of the quarantine by reason, the most frequent first.
pub(crate) async fn quarantine_reasons(
    tables: &TablesSession,
    selection: Selection<'_>,
) -> Result<Vec<Count>> {
    if !tables.has(Table::Quarantine) {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT reason AS name, count(*) AS rows FROM quarantine WHERE {} GROUP BY reason \
         ORDER BY rows DESC, reason",
        selection.condition()
    );
    counts(tables, &sql).await
}

pub(super) async fn counts(tables: &TablesSession, sql: &str) -> Result<Vec<Count>> {
    let mut counts = Vec::new();
    for_each(tables, sql, |row| {
        counts.push(Count {
            name: row.text("name").to_owned(),
            count: row.count("rows").unwrap_or(0),
        });
        Ok(())
    })
    .await?;
    Ok(counts)
}

/// Returns the first `most` rows of the quarantine.
pub(crate) async fn quarantine(
    tables: &TablesSession,
    selection: Selection<'_>,
    most: usize,
) -> Result<Vec<QuarantineRow>> {
    let mut rows = Vec::new();
    if !tables.has(Table::Quarantine) {
        return Ok(rows);
    }
    let sql = format!(
        "SELECT url, reason, detail, source, row, CAST(date AS VARCHAR) AS date, bytes FROM quarantine \
         WHERE {} ORDER BY date, source, row, url, detail LIMIT {most}",
        selection.condition()
    );
    for_each(tables, &sql, |row| {
        rows.push(QuarantineRow {
            url: row.text("url").to_owned(),
            reason: row.text("reason").to_owned(),
            detail: row.text("detail").to_owned(),
            source: row.text("source").to_owned(),
            row: row.count("row"),
            date: row.text("date").to_owned(),
            bytes: row.count("bytes"),
        });
        Ok(())
    })
    .await?;
    Ok(rows)
}

/// Returns the domains of the selection, the largest first.
pub(crate) async fn domains(
    tables: &TablesSession,
    selection: Selection<'_>,
) -> Result<Vec<DomainRow>> {
    let within = selection.condition();
    let mut domains: BTreeMap<String, DomainRow> = BTreeMap::new();
    let documents = format!(
        "SELECT domain, count(*) AS pages, sum(content_chars) AS content, \
         sum(boilerplate_chars) AS boilerplate, \
         sum(CASE WHEN content_blocks = 0 THEN 1 ELSE 0 END) AS without_content, \
         sum(CASE WHEN charset_source = 'detected' THEN 1 ELSE 0 END) AS guessed, \
         max(support) AS support FROM documents WHERE {within} GROUP BY domain"
    );
    let duplicates = format!(
        "SELECT domain, count(*) AS rows FROM url_keys WHERE status = 'duplicate' AND {within} GROUP BY domain"
    );
    let quarantined = format!(
        "SELECT domain, count(*) AS rows FROM quarantine WHERE domain IS NOT NULL AND {within} GROUP BY domain"
    );
    let learned = format!(
        "SELECT domain, count(*) AS rows FROM (SELECT domain, verdict, row_number() OVER \
         (PARTITION BY domain, host, path_shape, parameter ORDER BY date DESC) AS recency \
         FROM url_parameters WHERE {}) WHERE recency = 1 AND verdict <> 'undecided' GROUP BY domain",
        selection.of_domain()
    );
    let count = |row: &Row<'_>, column: &str| row.count(column).unwrap_or(0);
    let queries = [
        (Table::Documents, documents),
        (Table::UrlKeys, duplicates),
        (Table::Quarantine, quarantined),
        (Table::UrlParameters, learned),
    ];
    for (table, sql) in queries.into_iter().filter(|(table, _)| tables.has(*table)) {
        for_each(tables, &sql, |row| {
            let name = row.text("domain");
            let domain = domains.entry(name.to_owned()).or_default();
            name.clone_into(&mut domain.domain);
            match table {
                Table::Documents => {
                    domain.pages = count(&row, "pages");
                    domain.content_chars = count(&row, "content");
                    domain.boilerplate_chars = count(&row, "boilerplate");
                    domain.without_content = count(&row, "without_content");
                    domain.guessed_charsets = count(&row, "guessed");
                    domain.support = count(&row, "support");
                }
                Table::UrlKeys => domain.duplicates = count(&row, "rows"),
                Table::Quarantine => domain.quarantined = count(&row, "rows"),
                _ => domain.learned = count(&row, "rows"),
            }
            Ok(())
        })
        .await?;
    }
    let mut domains: Vec<DomainRow> = domains.into_values().collect();
    // Stable: domains of one size are in the order of their names.
    domains.sort_by_key(|domain| std::cmp::Reverse(domain.pages));
    Ok(domains)
}

/// Returns the first `most` domains with a text in their names.
pub(crate) async fn domains_with(
    tables: &TablesSession,
    text: &str,
    most: usize,
) -> Result<Vec<String>> {
    if !tables.has(Table::Documents) {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT domain AS name, count(*) AS rows FROM documents WHERE strpos(domain, {}) > 0 \
         GROUP BY domain ORDER BY domain LIMIT {most}",
        quoted(text)
    );
    let counts = counts(tables, &sql).await?;
    Ok(counts.into_iter().map(|count| count.name).collect())
}

/// Returns the details of domains, by name.
pub(crate) async fn details(
    tables: &TablesSession,
    selection: Selection<'_>,
    domains: &[DomainRow],
) -> Result<BTreeMap<String, DomainPage>> {
    let page = |row: &DomainRow| DomainPage {
        row: row.clone(),
        ..DomainPage::default()
    };
    let mut pages: BTreeMap<String, DomainPage> = (domains.iter())
        .map(|row| (row.domain.clone(), page(row)))
        .collect();
    if pages.is_empty() {
        return Ok(pages);
    }
    let names: Vec<String> = pages.keys().map(|name| quoted(name)).collect();
    let within = format!(
        "domain IN ({}) AND {}",
        names.join(", "),
        selection.condition()
    );
    if tables.has(Table::Documents) {
        add_days(tables, &within, &mut pages).await?;
        add_pages(tables, &within, &mut pages).await?;
    }
    if tables.has(Table::WindowEntries) {
        add_profiles(tables, &within, &mut pages).await?;
    }
    if tables.has(Table::Blocks) {
        add_boilerplate(tables, &within, &mut pages).await?;
    }
    Ok(pages)
}

async fn add_days(
    tables: &TablesSession,
    within: &str,
    pages: &mut BTreeMap<String, DomainPage>,
) -> Result<()> {
    let sql = format!(
        "SELECT domain, CAST(date AS VARCHAR) AS date, count(*) AS pages, sum(content_chars) AS content, \
         sum(boilerplate_chars) AS boilerplate FROM documents WHERE {within} \
         GROUP BY domain, date ORDER BY domain, date"
    );
    for_each(tables, &sql, |row| {
        if let Some(page) = pages.get_mut(row.text("domain")) {
            page.days.push(DomainDay {
                date: row.text("date").to_owned(),
                pages: row.count("pages").unwrap_or(0),
                content_chars: row.count("content").unwrap_or(0),
                boilerplate_chars: row.count("boilerplate").unwrap_or(0),
            });
        }
        Ok(())
    })
    .await
}

async fn add_profiles(
    tables: &TablesSession,
    within: &str,
    pages: &mut BTreeMap<String, DomainPage>,
) -> Result<()> {
    let sql = format!(
        "SELECT domain, url_key, template FROM window_entries WHERE entry = 'document' AND {within} \
         ORDER BY domain, ordinal"
    );
    let mut profile: Option<(String, SiteProfile)> = None;
    let mut finish = |profile: Option<(String, SiteProfile)>| {
        if let Some((domain, profile)) = profile
            && let Some(page) = pages.get_mut(&domain)
        {
            (page.nodes, page.more_nodes) = profile.nodes();
            page.paths = profile.paths();
            page.row.template_changes = profile.template_changes();
        }
    };
    for_each(tables, &sql, |row| {
        let name = row.text("domain");
        if profile.as_ref().is_none_or(|(domain, _)| domain != name) {
            let next = Some((name.to_owned(), SiteProfile::new(name)));
            finish(std::mem::replace(&mut profile, next));
        }
        let key = row.text("url_key");
        let paths = PagePaths::from_bytes(row.bytes("template"))
            .with_context(|| format!("window_entries: template of {key}"))?;
        if let Some((_, profile)) = &mut profile {
            profile.add(key, &paths);
        }
        Ok(())
    })
    .await?;
    finish(profile);
    Ok(())
}

async fn add_boilerplate(
    tables: &TablesSession,
    within: &str,
    pages: &mut BTreeMap<String, DomainPage>,
) -> Result<()> {
    let sql = format!(
        "SELECT * FROM (SELECT *, row_number() OVER \
             (PARTITION BY domain ORDER BY rows DESC, text) AS place FROM \
           (SELECT domain, substr(text, 1, 400) AS text, max(reason) AS reason, count(*) AS rows \
            FROM blocks WHERE label = 'boilerplate' AND {within} GROUP BY domain, hash, substr(text, 1, 400))) \
         WHERE place <= {DROPPED_TEXTS} ORDER BY domain, place"
    );
    for_each(tables, &sql, |row| {
        if let Some(page) = pages.get_mut(row.text("domain")) {
            page.boilerplate.push(DroppedBlock {
                text: row.text("text").to_owned(),
                reason: row.text("reason").to_owned(),
                count: row.count("rows").unwrap_or(0),
            });
        }
        Ok(())
    })
    .await
}

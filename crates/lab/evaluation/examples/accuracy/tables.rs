//! Tables of the rows, in Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::row::Row;

/// Pages of a site that is named as one of the worst. A site of fewer is a chance.
const PAGES_OF_A_SITE: usize = 5;

/// Sites that are named as the worst of a kind.
const WORST: usize = 2;

/// Prints, by kind, the means over pages and over sites, and the worst sites.
pub(crate) fn by_kind(rows: &[Row]) -> String {
    let mut table = String::from(
        "| kind | pages | sites | strict | template | by page | worst sites |\n\
         |---|--:|--:|--:|--:|--:|---|\n",
    );
    let (mut all, mut all_strict) = (Vec::new(), Vec::new());
    for (kind, rows) in grouped(rows, |row| row.kind.as_str()) {
        let sites = grouped(rows.iter().copied(), |row| row.site.as_str());
        let of_sites = |f1: fn(&Row) -> f64| {
            let means = sites
                .values()
                .map(|rows| mean(rows.iter().map(|row| f1(row))));
            mean(means)
        };
        let (template, strict) = (of_sites(|row| row.f1), of_sites(|row| row.strict));
        all.push(template);
        all_strict.push(strict);
        let mut worst: Vec<(f64, &str)> = (sites.iter())
            .filter(|(_, rows)| rows.len() >= PAGES_OF_A_SITE)
            .map(|(site, rows)| (mean(rows.iter().map(|row| row.f1)), *site))
            .collect();
        worst.sort_by(|one, other| one.0.total_cmp(&other.0));
        let worst = worst.iter().take(WORST);
        let worst: Vec<String> = worst.map(|(f1, site)| format!("{site} {f1:.3}")).collect();
        let _ = writeln!(
            table,
            "| {kind} | {} | {} | {strict:.4} | {template:.4} | {:.4} | {} |",
            rows.len(),
            sites.len(),
            mean(rows.iter().map(|row| row.f1)),
            worst.join(", "),
        );
    }
    let (all, strict) = (mean(all.into_iter()), mean(all_strict.into_iter()));
    let _ = writeln!(
        table,
        "| **mean over kinds** | {} | | {strict:.4} | {all:.4} | | |",
        rows.len()
    );
    table
}

/// Prints, by kind, the words a page that each reason drops or keeps wrongly.
pub(crate) fn by_reason(rows: &[Row]) -> String {
    let of_rows =
        |row: &Row| -> Vec<String> { row.wrong.iter().map(|(name, _)| name.clone()).collect() };
    let names: BTreeSet<String> = rows.iter().flat_map(of_rows).collect();
    let mut table = String::from("| kind |");
    names
        .iter()
        .for_each(|name| table.extend([" ", &name.replace(':', " "), " |"]));
    let _ = writeln!(table, "\n|---|{}", "--:|".repeat(names.len()));
    for (kind, rows) in grouped(rows, |row| row.kind.as_str()) {
        let _ = write!(table, "| {kind} |");
        for name in &names {
            let words = |row: &&Row| {
                let found = row.wrong.iter().find(|(of, _)| of == name);
                found.map_or(0, |(_, words)| *words)
            };
            let words: usize = rows.iter().map(words).sum();
            let _ = write!(table, " {:.1} |", words as f64 / rows.len() as f64);
        }
        table.push('\n');
    }
    table
}

/// Prints the F1 of each site with enough pages.
pub(crate) fn by_site(rows: &[Row]) -> String {
    let mut table =
        String::from("| kind | site | pages | strict | template |\n|---|---|--:|--:|--:|\n");
    for ((kind, site), rows) in grouped(rows, |row| (row.kind.as_str(), row.site.as_str())) {
        if rows.len() >= PAGES_OF_A_SITE {
            let (f1, strict) = (
                rows.iter().map(|row| row.f1),
                rows.iter().map(|row| row.strict),
            );
            let (f1, strict) = (mean(f1), mean(strict));
            let _ = writeln!(
                table,
                "| {kind} | {site} | {} | {strict:.4} | {f1:.4} |",
                rows.len()
            );
        }
    }
    table
}

/// Prints the kinds and the sites whose mean F1 changed by a ten-thousandth or more. The sites of
/// a kind are in the order of their changes; the first and the last of many are printed.
pub(crate) fn changes(before: &[Row], after: &[Row]) -> String {
    let mut table =
        String::from("| kind | site | before | after | change |\n|---|---|--:|--:|--:|\n");
    let (before, after) = (changed_by(before), changed_by(after));
    let mut all = Vec::new();
    for (kind, sites) in &after {
        let Some(earlier) = before.get(kind) else {
            continue;
        };
        let of_kind = |sites: &BTreeMap<&str, f64>| mean(sites.values().copied());
        let (one, other) = (of_kind(earlier), of_kind(sites));
        all.push(other - one);
        if (other - one).abs() >= 5e-5 {
            let change = other - one;
            let _ = writeln!(
                table,
                "| **{kind}** | | {one:.4} | {other:.4} | {change:+.4} |"
            );
        }
        let mut changed: Vec<(f64, &str, f64, f64)> = (sites.iter())
            .filter_map(|(site, f1)| {
                Some((f1 - earlier.get(site)?, *site, *earlier.get(site)?, *f1))
            })
            .filter(|(change, ..)| change.abs() >= 5e-5)
            .collect();
        changed.sort_by(|one, other| one.0.total_cmp(&other.0));
        let last = changed.len().saturating_sub(4);
        let shown = changed
            .iter()
            .enumerate()
            .filter(|(at, _)| *at < 4 || *at >= last);
        for (_, (change, site, one, other)) in shown {
            let _ = writeln!(table, "| | {site} | {one:.4} | {other:.4} | {change:+.4} |");
        }
    }
    let _ = writeln!(
        table,
        "| **mean over kinds** | | | | {:+.4} |",
        mean(all.into_iter())
    );
    table
}

/// Returns the mean F1 of the sites of each kind.
fn changed_by(rows: &[Row]) -> BTreeMap<&str, BTreeMap<&str, f64>> {
    let kinds = grouped(rows, |row| row.kind.as_str()).into_iter();
    kinds
        .map(|(kind, rows)| {
            let sites = grouped(rows, |row| row.site.as_str()).into_iter();
            let sites = sites.map(|(site, rows)| (site, mean(rows.iter().map(|row| row.f1))));
            (kind, sites.collect())
        })
        .collect()
}

fn grouped<'r, K: Ord>(
    rows: impl IntoIterator<Item = &'r Row>,
    key: impl Fn(&'r Row) -> K,
) -> BTreeMap<K, Vec<&'r Row>> {
    let mut groups: BTreeMap<K, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    sum / count.max(1) as f64
}

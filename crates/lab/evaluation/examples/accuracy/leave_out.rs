//! Estimates what a choice of thresholds is worth on kinds of pages that it was not made on.
//!
//! Each threshold has variants: files of `--write`, from builds that differ in this threshold alone.
//! For each kind, the variant that is best on all other kinds is chosen, and scored on the kind
//! itself. A threshold whose choice fits the sets by chance is worse there than the one in use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::row::Row;

/// The variants of a threshold.
pub(crate) struct Threshold {
    pub(crate) name: String,
    /// Name and rows of each. The first is the one in use.
    pub(crate) variants: Vec<(String, Vec<Row>)>,
}

/// The mean F1 over sites, by kind.
type Kinds<'r> = BTreeMap<&'r str, f64>;

fn by_kind(rows: &[Row]) -> Kinds<'_> {
    let mut sites: BTreeMap<&str, BTreeMap<&str, (f64, usize)>> = BTreeMap::new();
    for row in rows {
        let site = sites.entry(&row.kind).or_default();
        let (sum, pages) = site.entry(&row.site).or_default();
        *sum += row.f1;
        *pages += 1;
    }
    let mean = |sites: BTreeMap<&str, (f64, usize)>| {
        let count = sites.len() as f64;
        sites
            .values()
            .map(|(sum, pages)| sum / *pages as f64)
            .sum::<f64>()
            / count
    };
    sites
        .into_iter()
        .map(|(kind, sites)| (kind, mean(sites)))
        .collect()
}

/// Returns the mean over all kinds but one.
fn mean_without(kinds: &Kinds<'_>, left_out: &str) -> f64 {
    let others = kinds.iter().filter(|(kind, _)| **kind != left_out);
    let others: Vec<f64> = others.map(|(_, f1)| *f1).collect();
    others.iter().sum::<f64>() / others.len() as f64
}

/// Prints, by threshold, the mean of the variant in use, of the variant that is best on all kinds,
/// and of those that are chosen without the kind they are scored on; and the kinds that lose.
pub(crate) fn table(thresholds: &[Threshold]) -> String {
    let mut table = String::from(
        "| threshold | in use | best on all | chosen without the kind | other choice for |\n\
         |---|--:|--:|--:|---|\n",
    );
    for threshold in thresholds {
        let variants = threshold.variants.iter();
        let variants: Vec<(&str, Kinds<'_>)> = variants
            .map(|(name, rows)| (name.as_str(), by_kind(rows)))
            .collect();
        let names: BTreeSet<&str> = variants
            .iter()
            .flat_map(|(_, kinds)| kinds.keys().copied())
            .collect();
        let Some((used, in_use)) = variants.first() else {
            continue;
        };
        // The first of equal variants.
        let best = |left_out: &str| {
            let mut best = (used, in_use);
            for (name, kinds) in &variants {
                if mean_without(kinds, left_out) > mean_without(best.1, left_out) {
                    best = (name, kinds);
                }
            }
            best
        };
        let (mut chosen, mut others) = (0.0, Vec::new());
        for kind in &names {
            let (name, kinds) = best(kind);
            let f1 = kinds.get(kind).copied().unwrap_or_default();
            chosen += f1 / names.len() as f64;
            if name != used {
                let change = f1 - in_use.get(kind).copied().unwrap_or_default();
                others.push(format!("{kind} {name} {change:+.4}"));
            }
        }
        let (best_name, best_kinds) = best("");
        let _ = writeln!(
            table,
            "| {} | {used} {:.4} | {best_name} {:.4} | {chosen:.4} | {} |",
            threshold.name,
            mean_without(in_use, ""),
            mean_without(best_kinds, ""),
            if others.len() > 4 {
                format!("{} kinds", others.len())
            } else {
                others.join(", ")
            },
        );
    }
    table
}

//! The runs of each experiment, and the views of their results.

use anyhow::Result;
use evaluation::reproduce::{
    ablation_table, algorithms_table, all_text, cases_table, domains_table, finals_table,
    means_table, memory_table, methods_table, relevance_table, run_times, sites_table, test_part,
    tree_memory,
};
use evaluation::{Collection, GoldPage, Measured, Plot, compare, evenly, stream_plot};
use scoring::Outcome;

use super::found::{Found, Reproduction, Settings};
use crate::eval::duplicates_of;
use crate::usage::Usage;

/// The heuristics of the paper with the parameters that it chose [P 5.5].
const HEURISTICS: &str = "strict,strict-support-100,strict-at-domain,relaxed-at-domain-500";

/// The successors of the algorithms of the paper's table 2 that are other projects.
const PEERS: &str = "boilerpipe-default,boilerpipe-article,boilerpipe-article-sentences,\
                     boilerpipe-largest-content,boilerpipe-num-words,justext,readability-lxml";

/// The successors of NCleaner, which are part of this program.
const NCLEANER: &str = "ncleaner,ncleaner-nonlexical";

/// Test documents that the paper's figure 5 shows.
const SHOWN: usize = 20_000;

pub(super) fn url_tree_figure_2(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let Some(job) = &of.args.job else {
        return Err(Usage::of("url-tree-figure-2 needs --job").into());
    };
    let duplicates = duplicates_of(job, &of.args.set)?;
    found.table("Duplicates after each step", duplicates.table());
    found.plots.push(duplicates.plot()?);
    Ok(found)
}

pub(super) fn url_tree_figure_4(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = found.eval(of, Settings::Paper, &["--heuristics", "strict"])?;
    found.table(
        "Cumulative F1 by domain",
        domains_table(&measured, "strict"),
    );
    found.charts(&measured, &["domains-strict.svg"])?;
    found.results.push(("results.parquet", measured));
    Ok(found)
}

pub(super) fn url_tree_figure_5(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = streams(of, &mut found)?;
    let tested: Vec<Measured> = (measured.iter())
        .map(|one| test_part(one, of.args.prefix))
        .collect();
    found.table(
        "Cumulative F1 on the test set",
        finals_table(&tested, &of.published.figures),
    );
    for one in &tested {
        let svg = stream_plot(&one.results, Some(SHOWN))?;
        let file = found.file_of(&tested, one, "stream.svg");
        found.plots.push(Plot::new(file, svg));
    }
    found.results.push(("results.parquet", tested));
    Ok(found)
}

pub(super) fn url_tree_table_2(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = streams(of, &mut found)?;
    let table = algorithms_table(&measured, &of.published.figures);
    found.table(
        "Algorithms, and F1 of their successors over all pages",
        table,
    );
    found.results.push(("results.parquet", measured));
    Ok(found)
}

/// The heuristics of the paper and the algorithms of its table 2.
fn streams(of: &Reproduction<'_>, found: &mut Found) -> Result<Vec<Measured>> {
    let mut options = vec!["--heuristics", HEURISTICS, "--extractors", NCLEANER];
    options.extend(found.peers(of, PEERS));
    found.eval(of, Settings::Paper, &options)
}

pub(super) fn url_tree_tuning(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let sets = of.sets()?;
    let settings = of.settings(Settings::Paper)?;
    let measure = evaluation::Measure::default();
    let tried = evaluation::tune(&sets, of.args.prefix, measure, &settings)?;
    found.table("F1 by N", evaluation::tuning_table(&tried));
    Ok(found)
}

pub(super) fn url_tree_memory(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let settings = of.settings(Settings::Job)?;
    let mut memories = Vec::new();
    for set in of.sets()? {
        let pages = set.pages_keyed_by(&settings.keyer)?;
        memories.extend(tree_memory(&set, &pages, &settings)?);
    }
    found.table("Memory of the trees at the end", memory_table(&memories));
    Ok(found)
}

pub(super) fn url_tree_relaxed(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let heuristics = "strict,strict-at-domain,\
                      relaxed-at-domain-20,relaxed-strict-20,relaxed-at-domain-100,\
                      relaxed-strict-100,relaxed-at-domain-500,relaxed-strict-500";
    let measured = found.eval(of, Settings::Paper, &["--heuristics", heuristics])?;
    let table = finals_table(&measured, &of.published.figures);
    found.table("F1 of both readings", table);
    found.results.push(("results.parquet", measured));
    Ok(found)
}

/// The thesis counts words of ASCII and matches them with difflib.
fn collection(of: &Reproduction<'_>, found: &mut Found) -> Result<Vec<Measured>> {
    let mut options = vec!["--tokens", "ascii", "--overlap", "difflib"];
    options.extend(["--extractors", "all"]);
    options.extend(found.peers(of, "all"));
    found.eval(of, Settings::Job, &options)
}

/// The pages that the thesis averages: those with words in common.
fn succeeded(measured: &[Measured]) -> Vec<Measured> {
    let of_one = |one: &Measured| {
        let pages = one.results.iter();
        let is_measured = |outcome: Outcome| matches!(outcome, Outcome::Measured(_));
        Measured {
            results: pages
                .filter(|page| is_measured(page.outcome))
                .cloned()
                .collect(),
            ..one.clone()
        }
    };
    measured.iter().map(of_one).collect()
}

pub(super) fn kovacic_means(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = collection(of, &mut found)?;
    let table = means_table(&measured, &of.published.figures);
    found.table("Means over the pages with words in common", table);
    found.charts(&succeeded(&measured), &["means.svg"])?;
    found.results.push(("results.parquet", measured));
    Ok(found)
}

pub(super) fn kovacic_distributions(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = collection(of, &mut found)?;
    found.charts(&succeeded(&measured), &["distributions.svg"])?;
    found.results.push(("results.parquet", measured));
    Ok(found)
}

pub(super) fn kovacic_boundary_cases(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let measured = collection(of, &mut found)?;
    found.table(
        "Boundary cases",
        cases_table(&measured, &of.published.cases),
    );
    found.charts(&measured, &["boundary-cases.svg"])?;
    found.results.push(("results.parquet", measured));
    Ok(found)
}

pub(super) fn alarte_table_1(of: &Reproduction<'_>) -> Result<Found> {
    let sizes: Vec<String> = (2..=8)
        .map(|pages| format!("alarte:pages={pages}"))
        .collect();
    let names: Vec<&str> = sizes.iter().map(String::as_str).collect();
    let mut found = Found::default();
    let (nodes, words) = nodes_and_words(of, &mut found, &names)?;
    let figures = &of.published.figures;
    let table = methods_table(&nodes, &words, figures, "table 1");
    found.table("Scores by the number of pages", table);
    found
        .results
        .extend([("nodes.parquet", nodes), ("words.parquet", words)]);
    Ok(found)
}

pub(super) fn alarte_table_2(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let names = ["alarte", "alarte:choice=random"];
    let (nodes, words) = nodes_and_words(of, &mut found, &names)?;
    let figures = &of.published.figures;
    let all = methods_table(&nodes, &words, figures, "table 2");
    found.table("Scores by the choice of pages", all);
    found.table("Scores by site", sites_table(&nodes, &words));
    found
        .results
        .extend([("nodes.parquet", nodes), ("words.parquet", words)]);
    Ok(found)
}

pub(super) fn alarte_table_3(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let names = ["sst", "rtdm-td", "iwptd", "rbmtd", "temex", "alarte"];
    let (nodes, words) = nodes_and_words(of, &mut found, &names)?;
    let figures = &of.published.figures;
    let table = methods_table(&nodes, &words, figures, "table 3");
    found.table("Scores by method", table);
    found
        .results
        .extend([("nodes.parquet", nodes), ("words.parquet", words)]);
    Ok(found)
}

pub(super) fn alarte_figure_4(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let options = ["--extractors", "alarte", "--measure", "nodes"];
    let nodes = found.eval(of, Settings::Job, &options)?;
    found.plots = run_times(&nodes)?;
    found.results.push(("nodes.parquet", nodes));
    Ok(found)
}

/// The results of some extractors by nodes, and by words.
fn nodes_and_words(
    of: &Reproduction<'_>,
    found: &mut Found,
    names: &[&str],
) -> Result<(Vec<Measured>, Vec<Measured>)> {
    let names = names.join(",");
    let options = ["--extractors", &names, "--measure", "nodes"];
    let nodes = found.eval(of, Settings::Job, &options)?;
    let words = found.eval(of, Settings::Job, &["--extractors", &names])?;
    Ok((nodes, words))
}

pub(super) fn nce_table_1(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let options = ["--extractors", "nce,v-wrapper", "--overlap", "bag"];
    let mut measured = found.eval(of, Settings::Job, &options)?;
    let keyer = of.settings(Settings::Job)?.keyer;
    for (path, one) in of.args.gold.iter().zip(&mut measured) {
        for set in &Collection::at(path)?.sets {
            let pages = set.pages_keyed_by(&keyer)?;
            let thinned = of
                .args
                .max_pages_per_domain
                .map(|count| evenly(&pages, count));
            let is_wanted = |page: &GoldPage| {
                (thinned.as_ref()).is_none_or(|urls| urls.contains(page.url.as_str()))
            };
            let texts = all_text(set, &pages, is_wanted)?;
            let results = compare(set.name(), &pages, is_wanted, &texts, one.measure);
            one.results.extend(results);
        }
    }
    found.table("Bags of words by site", relevance_table(&measured));
    found.results.push(("results.parquet", measured));
    Ok(found)
}

pub(super) fn nce_ablation(of: &Reproduction<'_>) -> Result<Found> {
    let mut found = Found::default();
    let (with, ablated) = ("nce", "nce:comments=keep");
    let names = [with, ablated].join(",");
    let options = ["--extractors", &names, "--overlap", "bag"];
    let measured = found.eval(of, Settings::Job, &options)?;
    let table = ablation_table(&measured, with, ablated);
    found.table("With and without the removal of comments", table);
    found.results.push(("results.parquet", measured));
    Ok(found)
}

//! Measures how well the template of a site is learned, and the effect of each of its
//! rules.
//!
//! ```sh
//! cargo build --workspace --example template
//! target/debug/examples/template DATA [scenarios|rules|sites|cost] [PAGE]
//! ```
//!
//! `DATA` has the folders `streams`, one gold set per site, and `pages`, gold sets of
//! single pages. Every second site, by name, is in part A, on which rules were chosen.
//! The pages of the other sites, part B, were not used for it. The example prints tables
//! in Markdown, by default (`all`) all of them; figures of both parts are `A / B`. If
//! `PAGE` is given, the tables become the section `template` of that Markdown page.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod cost;
mod scenarios;
mod sites;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evaluation::InputError;
use template::Reason;

use crate::scenarios::{Means, Scenario, few, mixed, pages, single, streams};
use crate::sites::{Part, Site};

/// The number of pages from which a domain counts as a site, not as a collection of pages.
const SITE_PAGES: usize = 8;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(data) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: template DATA [scenarios|rules|sites|cost]");
        return ExitCode::from(2);
    };
    let table = arguments.next().filter(|name| name != "all");
    let asked = |name: &str| table.as_ref().is_none_or(|table| table == name);
    let page = arguments.next().map(PathBuf::from);
    let done = tables(&data, asked).map_err(|error| error.to_string());
    match done.and_then(|text| hand_out(&text, page.as_deref())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn hand_out(text: &str, page: Option<&Path>) -> Result<(), String> {
    let Some(path) = page else {
        print!("{text}");
        return Ok(());
    };
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    let page = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(named)?,
    };
    std::fs::write(path, evaluation::place(&page, "template", text)).map_err(named)
}

fn tables(data: &Path, asked: impl Fn(&str) -> bool) -> Result<String, InputError> {
    let streamed = sites::load(&data.join("streams"), sites::By::Set)?;
    let hosts = sites::load(&data.join("pages"), sites::By::Domain)?;
    let (portals, hosts): (Vec<Site>, Vec<Site>) =
        (hosts.into_iter()).partition(|site| site.pages.len() >= SITE_PAGES);
    let mut scenarios: Vec<Scenario<'_>> = streams(&streamed).collect();
    scenarios.extend(few(&streamed));
    scenarios.extend(mixed(&streamed));
    scenarios.extend(single(&streamed));
    scenarios.extend(streams(&portals).map(|scenario| scenario.named("hosts")));
    scenarios.extend(pages(&hosts));

    let mut tables = Vec::new();
    if asked("scenarios") {
        tables.push(by_scenario(&scenarios));
    }
    if asked("rules") {
        tables.extend(by_rule(&scenarios));
    }
    if asked("sites") {
        tables.push(by_site(&scenarios));
    }
    if asked("cost") {
        tables.push(cost::table(&streamed));
    }
    Ok(tables.join("\n"))
}

/// The columns: strict at the domain node; all rules; all rules without the page's own
/// title, because gold texts without a title count it as an error; and the blocks that
/// occur in the gold text.
fn by_scenario(scenarios: &[Scenario<'_>]) -> String {
    let mut table = String::from(
        "| pages | sites | strict | template | worst site | body alone | blocks in gold |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for scenario in scenarios {
        let all = scenario.template(&[]);
        let both = |of: &dyn Fn(Part) -> Option<f64>| {
            format!("{} / {}", three(of(Part::A)), three(of(Part::B)))
        };
        let mean = |means: Means| both(&|part| means.mean(part));
        let _ = writeln!(
            table,
            "| {} | {} / {} | {} | {} | {} | {} | {} |",
            scenario.name,
            all.sites(Part::A),
            all.sites(Part::B),
            mean(scenario.strict()),
            both(&|part| all.mean(part)),
            both(&|part| all.worst(part)),
            mean(scenario.body_alone()),
            mean(scenario.blocks_in_gold()),
        );
    }
    table
}

/// The loss without each row of the table of rules, and the gain of each over repetition alone, over all
/// sites of both parts.
fn by_rule(scenarios: &[Scenario<'_>]) -> [String; 2] {
    let all = |left_out: &[Reason]| -> Vec<f64> {
        let mean = |scenario: &Scenario<'_>| scenario.template(left_out).all();
        scenarios.iter().map(mean).collect()
    };
    let row = |table: &mut String, rule: Reason, left_out: &[Reason], base: &[f64]| {
        let changes = all(left_out).into_iter().zip(base);
        let cells: String = changes
            .map(|(f1, base)| format!(" {:+.4} |", f1 - base))
            .collect();
        let _ = writeln!(table, "| {rule} |{cells}");
    };

    // A reader gives marks, and without repetition nothing is boilerplate.
    let is_rule = |rule: &&Reason| {
        let others = [
            Reason::Repeated,
            Reason::Unique,
            Reason::MarkedContent,
            Reason::MarkedBoilerplate,
        ];
        !others.contains(rule)
    };
    let rules: Vec<Reason> = Reason::ALL.iter().filter(is_rule).copied().collect();
    let mut without = heading("without", scenarios);
    let base = all(&[]);
    for rule in &rules {
        row(&mut without, *rule, &[*rule], &base);
    }

    let mut alone = heading("repetition and", scenarios);
    let base = all(&rules);
    for rule in &rules {
        let others: Vec<Reason> = rules
            .iter()
            .filter(|other| *other != rule)
            .copied()
            .collect();
        row(&mut alone, *rule, &others, &base);
    }
    [without, alone]
}

fn heading<'s>(
    first: &str,
    scenarios: impl IntoIterator<Item = &'s Scenario<'s>, IntoIter: ExactSizeIterator>,
) -> String {
    let scenarios = scenarios.into_iter();
    let columns = scenarios.len() + 1;
    let names: Vec<&str> = scenarios.map(|scenario| &*scenario.name).collect();
    format!(
        "| {first} | {} |\n|{}\n",
        names.join(" | "),
        "---|".repeat(columns)
    )
}

fn by_site(scenarios: &[Scenario<'_>]) -> String {
    let scenarios: Vec<&Scenario<'_>> = (scenarios.iter())
        .filter(|scenario| scenario.is_of_few_sites())
        .collect();
    let means: Vec<Means> = (scenarios.iter())
        .map(|scenario| scenario.template(&[]))
        .collect();
    let mut sites: Vec<(Part, &str)> = means.iter().flat_map(Means::names).collect();
    sites.sort_unstable();
    sites.dedup();
    let mut table = heading("site", scenarios.iter().copied());
    for (part, site) in sites {
        let cells: String = (means.iter())
            .map(|means| format!(" {} |", three(means.of(part, site))))
            .collect();
        let _ = writeln!(table, "| {part:?} {site} |{cells}");
    }
    table
}

fn three(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.3}"))
}

//! The commands `tune` and `gold`.

use anyhow::Result;
use evaluation::{GoldSet, Layout, Measure, Source, tuning_section, tuning_table};
use gold::{Comments, Format, Label, Labels};

use crate::args::{GoldArgs, GoldFormat, LabelChoice, TuneArgs};
use crate::eval::report;
use crate::replay_settings::replay_settings;
use crate::rows;

/// The settings of the paper's experiment: pages are inserted one by one, and none is
/// evicted for its age, which came later [P 6].
pub(crate) const PAPER: [&str; 2] = ["paper.batching=page", "window.max_age=1000years"];

/// Tries the parameters. Returns the table of results.
pub(crate) fn tune(args: &TuneArgs) -> Result<String> {
    let mut sets = Vec::new();
    for path in &args.gold {
        sets.extend(GoldSet::at(path)?);
    }
    let settings = match &args.job {
        Some(job) => replay_settings(Some(job), &args.set)?,
        None => {
            let paper = PAPER.map(str::to_owned).into_iter();
            let overrides: Vec<String> = paper.chain(args.set.iter().cloned()).collect();
            replay_settings(None, &overrides)?
        }
    };
    let tried = evaluation::tune(&sets, args.prefix, Measure::default(), &settings)?;
    if let Some(path) = &args.report {
        report(path, [("tuning".to_owned(), tuning_section(&tried))])?;
    }
    rows::text(&tuning_table(&tried), args.format)
}

/// Makes a gold set. Returns a line about what was left out.
pub(crate) fn gold(args: &GoldArgs) -> Result<String> {
    let labels: Vec<Label> = args.labels.iter().map(|label| label_of(*label)).collect();
    let layout = match args.format {
        GoldFormat::Cleaneval => Layout::Files(Format::CleanEval),
        GoldFormat::L3sGn1 => Layout::Files(Format::L3sGn1(Labels::new(&labels))),
        GoldFormat::Boilernet => Layout::Files(Format::BoilerNet),
        GoldFormat::Dragnet => Layout::Files(Format::Dragnet(Comments::Dropped)),
        GoldFormat::Plain => Layout::Files(Format::Plain),
        GoldFormat::Json => Layout::Json,
        GoldFormat::JsonLines => Layout::JsonLines,
    };
    let source = Source {
        gold_texts: args.gold.clone(),
        pages: args.pages.clone(),
        urls: args.urls.clone(),
    };
    let imported = evaluation::import(layout, &source, &args.output)?;
    for page in &imported.without_gold {
        tracing::warn!("left out, it has no gold: {page}");
    }
    for gold in &imported.without_page {
        tracing::warn!("without its page: {gold}");
    }
    Ok(format!(
        "{}: {} pages, {} of them without HTML; {} pages without gold were left out",
        args.output.display(),
        imported.pages,
        imported.without_page.len(),
        imported.without_gold.len(),
    ))
}

fn label_of(label: LabelChoice) -> Label {
    match label {
        LabelChoice::Headline => Label::Headline,
        LabelChoice::FullText => Label::FullText,
        LabelChoice::Supplemental => Label::Supplemental,
        LabelChoice::RelatedContent => Label::RelatedContent,
        LabelChoice::UserComments => Label::UserComments,
    }
}

//! The command `eval`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use engine::{EngineError, Job};
use evaluation::{
    Breach, Collection, Counted, DuplicatesByStep, GoldPage, GoldSet, Measure, Measured,
    MeasuredSet, NodeTrees, Overlapping, PageResult, Peer, Peers, Plot, PublishedFigure,
    PublishedFigures, Reached, Texts, Thresholds, compare_nodes, evenly, place, section,
    section_name, standings_table,
};
use extractors::Selected;
use scoring::Tokens;
use serde::de::DeserializeOwned;
use site_replay::{Labelling, SiteSettings};
use tables::Table;
use tokio::runtime::Runtime;

use crate::args::{EvalArgs, MeasureChoice, OverlapChoice, TokensChoice};
use crate::job::{job, runtime};
use crate::replay_settings::replay_settings;
use crate::rows;
use crate::usage::Usage;

/// The results of a comparison.
pub(crate) struct Compared {
    /// The results of each collection.
    pub(crate) measured: Vec<Measured>,
    duplicates: Option<DuplicatesByStep>,
}

/// Compares the extractors that the arguments name with the gold. `after` is called after each collection, with
/// all that were measured.
pub(crate) fn compared(
    args: &EvalArgs,
    after: impl Fn(&[Measured]) -> Result<()>,
) -> Result<Compared> {
    let asked = Asked::of(args)?;
    asked.refuse_empty()?;
    let mut measured = Vec::new();
    for path in &args.gold {
        measured.push(asked.collection(Collection::at(path)?)?);
        after(&measured)?;
    }
    Ok(Compared {
        measured,
        duplicates: asked.duplicates,
    })
}

/// Compares the extractors that the arguments name. Returns the standings as text.
pub(crate) fn eval(args: &EvalArgs) -> Result<String> {
    let published = published(args)?;
    let Compared {
        measured,
        duplicates,
    } = compared(args, |measured| report_last(args, measured, &published))?;
    if let Some(path) = &args.results {
        evaluation::write_results(&measured, path).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.report {
        let duplicates = duplicates.iter();
        report(
            path,
            duplicates.map(|found| ("duplicates".to_owned(), found.section())),
        )?;
    }
    if let Some(folder) = &args.plots {
        plot(folder, &measured, duplicates.as_ref())?;
    }
    let standings = rows::text(&standings_table(&measured), args.format)?;
    match &args.thresholds {
        Some(path) => check_thresholds(path, args, &measured).map(|()| standings),
        None => Ok(standings),
    }
}

/// Writes the section of the last collection, and the comparison of all so far: a measurement of hours that is
/// interrupted keeps what it has measured.
fn report_last(
    args: &EvalArgs,
    measured: &[Measured],
    published: &[PublishedFigure],
) -> Result<()> {
    let Some(path) = &args.report else {
        return Ok(());
    };
    let last = measured.last();
    let last = last.map(|one| (section_name(one), section(one, published)));
    let comparison = evaluation::comparison_section(measured);
    report(path, comparison.into_iter().chain(last))
}

/// The extractors whose texts are compared with the gold texts.
struct Asked<'a> {
    args: &'a EvalArgs,
    heuristics: Vec<Labelling>,
    /// The settings that the heuristics replay pages with.
    settings: SiteSettings,
    methods: Vec<Selected>,
    peers: Vec<Peer>,
    /// Texts from files and from the job's table `documents`.
    texts: Vec<Texts>,
    /// The duplicates in the job's table `url_keys`.
    duplicates: Option<DuplicatesByStep>,
    measure: Measure,
}

impl<'a> Asked<'a> {
    fn of(args: &'a EvalArgs) -> Result<Self> {
        let heuristics = (args.heuristics.iter())
            .flat_map(|name| match name.as_str() {
                "all" => ALL_HEURISTICS.to_vec(),
                name => vec![name],
            })
            .map(|name| name.parse().map_err(Usage::of))
            .collect::<Result<_, _>>()?;
        let mut methods = Vec::new();
        for list in &args.extractors {
            methods.extend(extractors::select(list).map_err(Usage::of)?);
        }
        let mut texts = Vec::new();
        for named in &args.texts {
            let Some((name, path)) = named.split_once('=') else {
                return Err(Usage::of(format!("--texts {named}: expected NAME=FILE")).into());
            };
            texts.push(Texts::read(name, Path::new(path))?);
        }
        let mut asked = Self {
            args,
            heuristics,
            settings: replay_settings(args.job.as_deref(), &args.set)?,
            methods,
            peers: peers(args)?,
            texts,
            duplicates: None,
            measure: measure(args)?,
        };
        asked.read_tables()?;
        Ok(asked)
    }

    /// Reads the texts and duplicates of the job's tables. A job without tables is an error
    /// only if nothing else is compared.
    fn read_tables(&mut self) -> Result<()> {
        let Some(file) = self.args.job.as_ref().filter(|_| !self.args.only_settings) else {
            return Ok(());
        };
        let job = job(file, &self.args.set)?;
        let runtime = runtime(&job)?;
        if !self.is_empty() && !has_tables(&job, &runtime)? {
            tracing::info!("{}: the job has no tables yet", file.display());
            return Ok(());
        }
        self.texts.push(documents(&job, &runtime)?);
        if self.args.plots.is_some() || self.args.report.is_some() {
            self.duplicates = Some(duplicates(&job, &runtime)?);
        }
        Ok(())
    }

    /// Whether there is nothing to compare with the gold.
    fn is_empty(&self) -> bool {
        self.heuristics.is_empty()
            && self.methods.is_empty()
            && self.peers.is_empty()
            && self.texts.is_empty()
    }

    /// Refuses a command with nothing to compare with the gold.
    fn refuse_empty(&self) -> Result<()> {
        if self.is_empty() {
            let expected = "nothing to compare with the gold: give --job, --texts, \
                            --heuristics, --extractors or --peers";
            return Err(Usage::of(expected).into());
        }
        Ok(())
    }

    fn collection(&self, collection: Collection) -> Result<Measured> {
        let mut sets = Vec::new();
        let mut results = Vec::new();
        let mut left_out = BTreeSet::new();
        for set in &collection.sets {
            let pages = set.pages_keyed_by(&self.settings.keyer)?;
            sets.push(MeasuredSet {
                name: set.name().to_owned(),
                pages: pages.len(),
                digest: set.digest()?,
            });
            results.extend(self.set(set, &pages, &mut left_out)?);
        }
        Ok(Measured {
            name: collection.name,
            measure: self.measure,
            sets,
            left_out,
            results,
        })
    }

    fn set(
        &self,
        set: &GoldSet,
        pages: &[GoldPage],
        left_out: &mut BTreeSet<String>,
    ) -> Result<Vec<PageResult>> {
        let wanted = self
            .args
            .max_pages_per_domain
            .map(|count| evenly(pages, count));
        let is_wanted = |url: &str| wanted.as_ref().is_none_or(|urls| urls.contains(url));
        tracing::info!("{}: {} pages", set.name(), pages.len());
        let is_wanted_page = |page: &GoldPage| is_wanted(&page.url);
        let trees = match self.measure.counted {
            Counted::Nodes => NodeTrees::read(set, pages, is_wanted_page)?,
            _ => NodeTrees::default(),
        };
        let mut results = Vec::new();
        let mut add = |texts: &Texts| {
            let compared = compare_nodes(
                set.name(),
                pages,
                is_wanted_page,
                texts,
                self.measure,
                &trees,
            );
            results.extend(compared);
        };
        for texts in &self.texts {
            add(texts);
        }
        if !self.heuristics.is_empty() {
            for texts in evaluation::replay(set, pages, &self.heuristics, &self.settings)? {
                add(&texts);
            }
        }
        if !self.methods.is_empty() {
            for texts in evaluation::extract(set, pages, &self.methods, is_wanted)? {
                add(&texts);
            }
        }
        let folder = std::env::current_dir().context("cannot find the current folder")?;
        for peer in &self.peers {
            match peer.run(&folder, set, is_wanted) {
                Ok(texts) => add(&texts),
                // A missing peer does not affect the others.
                Err(error) => {
                    tracing::warn!("{}: left out: {error}", set.name());
                    left_out.insert(error.to_string());
                }
            }
        }
        Ok(results)
    }
}

/// The method of comparing texts that the arguments choose.
fn measure(args: &EvalArgs) -> Result<Measure, Usage> {
    let tokens = match args.tokens {
        TokensChoice::Unicode => Tokens::Unicode,
        TokensChoice::Ascii => Tokens::Ascii,
    };
    let overlapping = match args.overlap {
        OverlapChoice::Lcs => Overlapping::Lcs,
        OverlapChoice::Difflib => Overlapping::Difflib,
        OverlapChoice::Bag => Overlapping::Bag,
        OverlapChoice::RougeLsum => Overlapping::RougeLsum,
    };
    let counted = match args.measure {
        MeasureChoice::Words => Counted::Words,
        MeasureChoice::Edit => Counted::EditDistance,
        MeasureChoice::Weighted => Counted::Weighted(args.weights.unwrap_or_default()),
        MeasureChoice::Nodes => Counted::Nodes,
    };
    if counted != Counted::Words && overlapping != Overlapping::Lcs {
        let expected =
            "--overlap is for --measure words; the other measures have a rule of their own";
        return Err(Usage::of(expected));
    }
    if args.weights.is_some() && args.measure != MeasureChoice::Weighted {
        return Err(Usage::of("--weights needs --measure weighted"));
    }
    Ok(Measure {
        tokens,
        overlapping,
        counted,
        beta: args.beta,
    })
}

/// The heuristics of `--heuristics all`, with the parameters of the paper.
const ALL_HEURISTICS: [&str; 7] = [
    "template",
    "strict",
    "strict-support-100",
    "strict-at-domain",
    "relaxed-at-domain-500",
    "vote-slow",
    "vote-fast",
];

/// The text of each row of `url_keys`: its own in the table `documents`, or that of the
/// page it duplicates.
const TEXTS: &str = "\
    SELECT k.url, k.fetched_at, d.text FROM url_keys k \
    JOIN documents d ON d.domain = k.domain AND d.url_key = k.url_key AND d.url = k.url \
        AND d.fetched_at = k.fetched_at AND d.status = k.status \
    UNION ALL \
    SELECT k.url, k.fetched_at, d.text FROM url_keys k \
    JOIN url_keys o ON o.domain = k.domain \
        AND concat(o.source, '#', o.row) = k.duplicate_of \
    JOIN documents d ON d.domain = o.domain AND d.url_key = o.url_key AND d.url = o.url \
        AND d.fetched_at = o.fetched_at AND d.status = o.status \
    WHERE k.status = 'duplicate'";

fn has_tables(job: &Job, runtime: &Runtime) -> Result<bool> {
    for table in [Table::UrlKeys, Table::Documents] {
        let opened = runtime.block_on(job.output.open(table));
        if opened.map_err(EngineError::from)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn documents(job: &Job, runtime: &Runtime) -> Result<Texts> {
    let mut texts = Texts::of("documents");
    for batch in &runtime.block_on(query::query(job, TEXTS))? {
        texts.extend(batch)?;
    }
    Ok(texts)
}

/// Counts the duplicates in the tables of a job after each step of the URL normalisation.
pub(crate) fn duplicates_of(file: &Path, overrides: &[String]) -> Result<DuplicatesByStep> {
    let job = job(file, overrides)?;
    let runtime = runtime(&job)?;
    duplicates(&job, &runtime)
}

fn duplicates(job: &Job, runtime: &Runtime) -> Result<DuplicatesByStep> {
    let query = |sql: &str| runtime.block_on(query::query(job, sql));
    let mut found =
        DuplicatesByStep::new(&query(DuplicatesByStep::COUNTS_QUERY)?).context("url_keys")?;
    for part in 0..found.parts() {
        let rows = query(&found.urls_query(part))?;
        (found.add_urls(&rows, &job.settings.site.keyer)).context("url_keys")?;
    }
    Ok(found)
}

fn peers(args: &EvalArgs) -> Result<Vec<Peer>> {
    if args.peers.is_empty() {
        return Ok(Vec::new());
    }
    let path = &args.peers_file;
    let Peers { mut peers } = toml_file(path)?;
    if args.peers.iter().any(|name| name == "all") {
        return Ok(peers);
    }
    if let Some(unknown) =
        (args.peers.iter()).find(|name| peers.iter().all(|peer| peer.name != **name))
    {
        let file = path.display();
        return Err(Usage::of(format!("{file} has no peer {unknown:?}")).into());
    }
    peers.retain(|peer| args.peers.contains(&peer.name));
    Ok(peers)
}

fn published(args: &EvalArgs) -> Result<Vec<PublishedFigure>> {
    let Some(path) = &args.published else {
        return Ok(Vec::new());
    };
    Ok(toml_file::<PublishedFigures>(path)?.figures)
}

fn toml_file<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    toml::from_str(&text).map_err(|error| {
        Usage::of(format!("{}: {}", path.display(), error.to_string().trim())).into()
    })
}

/// Writes sections by name into a page, and keeps the rest of the page.
pub(crate) fn report(
    path: &Path,
    sections: impl IntoIterator<Item = (String, String)>,
) -> Result<()> {
    let mut page = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.with_context(|| path.display().to_string())?,
    };
    for (name, text) in sections {
        page = place(&page, &name, &text);
    }
    std::fs::write(path, page).with_context(|| path.display().to_string())
}

/// Writes the charts of all collections. If there is more than one, each has its own
/// folder.
fn plot(folder: &Path, measured: &[Measured], duplicates: Option<&DuplicatesByStep>) -> Result<()> {
    for one in measured {
        let folder = match measured.len() {
            1 => folder.to_owned(),
            _ => folder.join(&one.name),
        };
        write_plots(&folder, evaluation::plots(&one.results)?)?;
    }
    match duplicates {
        Some(found) => write_plots(folder, vec![found.plot()?]),
        None => Ok(()),
    }
}

pub(crate) fn write_plots(folder: &Path, plots: Vec<Plot>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for plot in plots {
        let path = folder.join(&plot.file);
        std::fs::write(&path, plot.svg).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Compares the results with the thresholds of a file, or sets the thresholds to them.
fn check_thresholds(path: &Path, args: &EvalArgs, measured: &[Measured]) -> Result<()> {
    let mut thresholds = if path.exists() || !args.raise_thresholds {
        toml_file(path)?
    } else {
        Thresholds::default()
    };
    let reached: Vec<Reached> = measured.iter().flat_map(Reached::all).collect();
    if !args.raise_thresholds {
        return match thresholds.breaches(&reached) {
            breaches if breaches.is_empty() => Ok(()),
            breaches => Err(ThresholdsMissed(breaches).into()),
        };
    }
    let reason = args.lower_thresholds.as_deref();
    (thresholds.raise(&reached, reason)).map_err(ThresholdsMissed)?;
    let text = toml::to_string(&thresholds).context("cannot write the thresholds as TOML")?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// The error for results below their thresholds.
#[derive(Debug)]
pub(crate) struct ThresholdsMissed(Vec<Breach>);

impl std::error::Error for ThresholdsMissed {}

impl std::fmt::Display for ThresholdsMissed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let breaches: Vec<String> = self.0.iter().map(Breach::to_string).collect();
        f.write_str(&breaches.join("\n       "))
    }
}

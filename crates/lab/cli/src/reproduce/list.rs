//! The experiments by name, with what each needs.

use std::sync::Arc;

use anyhow::Result;
use arrow::array::{ArrayRef, RecordBatch, StringArray};

use super::args::ReproduceArgs;
use super::experiments;
use super::found::{Found, Reproduction};
use crate::usage::Usage;

/// An experiment of a paper.
pub(super) struct Experiment {
    pub(super) name: &'static str,
    /// The tables and figures that it makes anew.
    pub(super) source: &'static str,
    pub(super) shows: &'static str,
    needs: Needs,
    pub(super) run: fn(&Reproduction<'_>) -> Result<Found>,
}

/// The input that an experiment needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// The tables of a job.
    Tables,
    /// Gold with HTML.
    Pages,
    /// Gold with HTML and times, whole sites.
    Streams,
    /// L3S-GN1 or CleanEval, as `urltree-lab gold` makes them.
    Collection,
}

impl Needs {
    fn text(self) -> &'static str {
        match self {
            Self::Tables => "--job with tables",
            Self::Pages => "--gold with html, some pages of each site",
            Self::Streams => "--gold with html and fetched_at, all pages of each site",
            Self::Collection => {
                "--gold l3s-gn1.parquet or cleaneval.parquet of urltree-lab gold (the file's name \
                 decides which figures are printed beside)"
            }
        }
    }
}

impl Experiment {
    /// Refuses arguments that lack what the experiment needs.
    pub(super) fn check(&self, args: &ReproduceArgs) -> Result<(), Usage> {
        let is_missing = match self.needs {
            Needs::Tables => args.job.is_none(),
            _ => args.gold.is_empty(),
        };
        if is_missing {
            return Err(Usage::of(format!(
                "{} needs {}",
                self.name,
                self.needs.text()
            )));
        }
        Ok(())
    }
}

const ALL: &[Experiment] = &[
    Experiment {
        name: "url-tree-figure-2",
        source: "Sluban and Grčar 2013, figure 2",
        shows: "Duplicates after each step of the URL normalisation",
        needs: Needs::Tables,
        run: experiments::url_tree_figure_2,
    },
    Experiment {
        name: "url-tree-figure-4",
        source: "Sluban and Grčar 2013, figure 4",
        shows: "Cumulative F1 of the strict heuristic, by domain",
        needs: Needs::Streams,
        run: experiments::url_tree_figure_4,
    },
    Experiment {
        name: "url-tree-figure-5",
        source: "Sluban and Grčar 2013, figure 5",
        shows: "Cumulative F1 of four heuristics and ten other extractors, on the test set",
        needs: Needs::Streams,
        run: experiments::url_tree_figure_5,
    },
    Experiment {
        name: "url-tree-table-2",
        source: "Sluban and Grčar 2013, table 2",
        shows: "The ten other algorithms, and F1 of their successors",
        needs: Needs::Streams,
        run: experiments::url_tree_table_2,
    },
    Experiment {
        name: "url-tree-tuning",
        source: "Sluban and Grčar 2013, section 5.5",
        shows: "N from 100 to 1,000, chosen on the first 18 % of each stream",
        needs: Needs::Streams,
        run: experiments::url_tree_tuning,
    },
    Experiment {
        name: "url-tree-memory",
        source: "Sluban and Grčar 2013, section 6",
        shows: "Megabytes of the URL Tree per 1,000 documents",
        needs: Needs::Streams,
        run: experiments::url_tree_memory,
    },
    Experiment {
        name: "url-tree-relaxed",
        source: "Sluban and Grčar 2013, section 5.4",
        shows: "Both readings of relaxed-at-domain-N beside the strict heuristics",
        needs: Needs::Streams,
        run: experiments::url_tree_relaxed,
    },
    Experiment {
        name: "kovacic-means",
        source: "Kovačič 2012, tables 5.2 and 5.3, figures 5.1 and 5.2",
        shows: "Mean precision, recall and F1, with standard deviations",
        needs: Needs::Collection,
        run: experiments::kovacic_means,
    },
    Experiment {
        name: "kovacic-distributions",
        source: "Kovačič 2012, figures 5.3 and 5.4",
        shows: "Pages by twentieths of precision, recall and F1",
        needs: Needs::Collection,
        run: experiments::kovacic_distributions,
    },
    Experiment {
        name: "kovacic-boundary-cases",
        source: "Kovačič 2012, tables 5.4 and 5.5, figures 5.5 and 5.6",
        shows: "Pages without a score, by reason",
        needs: Needs::Collection,
        run: experiments::kovacic_boundary_cases,
    },
    Experiment {
        name: "alarte-table-1",
        source: "Alarte et al. 2018, table 1",
        shows: "Nodes, words and time by the number of pages that a page is compared with",
        needs: Needs::Pages,
        run: experiments::alarte_table_1,
    },
    Experiment {
        name: "alarte-table-2",
        source: "Alarte et al. 2018, table 2",
        shows: "Nodes, words and time by site, and with pages chosen at random",
        needs: Needs::Pages,
        run: experiments::alarte_table_2,
    },
    Experiment {
        name: "alarte-table-3",
        source: "Alarte et al. 2018, table 3",
        shows: "Nodes, words and time of six methods for sites",
        needs: Needs::Pages,
        run: experiments::alarte_table_3,
    },
    Experiment {
        name: "alarte-figure-4",
        source: "Alarte et al. 2018, figure 4",
        shows: "Time of a page against its nodes",
        needs: Needs::Pages,
        run: experiments::alarte_figure_4,
    },
    Experiment {
        name: "nce-table-1",
        source: "Laber et al. 2009, table 1",
        shows: "Recall, precision and F1 of bags of words by site, and the share of relevant content",
        needs: Needs::Pages,
        run: experiments::nce_table_1,
    },
    Experiment {
        name: "nce-ablation",
        source: "Laber et al. 2009, section 4",
        shows: "NCE with and without its second phase, the removal of comments",
        needs: Needs::Pages,
        run: experiments::nce_ablation,
    },
];

/// Returns the experiment of this name.
pub(super) fn by_name(name: &str) -> Result<&'static Experiment, Usage> {
    ALL.iter().find(|known| known.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|known| known.name).collect();
        Usage::of(format!(
            "no experiment is called {name:?}; the names are {}",
            names.join(", ")
        ))
    })
}

/// Returns a row for each experiment.
pub(super) fn table() -> Result<RecordBatch> {
    let column = |of: fn(&Experiment) -> &'static str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(ALL.iter().map(of)))
    };
    Ok(RecordBatch::try_from_iter([
        ("name", column(|known| known.name)),
        ("source", column(|known| known.source)),
        ("shows", column(|known| known.shows)),
        ("needs", column(|known| known.needs.text())),
    ])?)
}

//! Thresholds of quality.
//!
//! A file of thresholds has the digest of each gold set and, for each extractor, the
//! precision, recall and F1 that it must reach on the set:
//!
//! ```toml
//! [site]
//! digest = "0cc175b9c0f1b6a831c399e269772661"
//!
//! [site.strict]
//! precision = 0.8512
//! recall = 0.9570
//! f1 = 0.8854
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use scoring::{MacroSummary, Score};
use serde::{Deserialize, Serialize};

use crate::results::summary;
use crate::{Measured, PageResult};

/// The thresholds of all gold sets, by name of the set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Thresholds {
    sets: BTreeMap<String, SetFloors>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SetFloors {
    digest: String,
    /// The reasons for which thresholds were lowered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lowered: Vec<String>,
    #[serde(flatten)]
    extractors: BTreeMap<String, Threshold>,
}

/// The lowest values that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Threshold {
    precision: f64,
    recall: f64,
    f1: f64,
}

/// The scores of an extractor on a gold set.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The gold set.
    pub set: String,
    /// The set's [`GoldSet::digest`](crate::GoldSet::digest).
    pub digest: String,
    /// The extractor; only heuristics have thresholds in the repository.
    pub extractor: String,
    /// Macro means over the set's domains.
    pub summary: MacroSummary,
}

impl Reached {
    /// Returns the scores of each extractor on each gold set.
    pub fn all(measured: &Measured) -> Vec<Self> {
        let mut reached = Vec::new();
        for set in &measured.sets {
            let pages = measured.results.iter().filter(|page| page.set == set.name);
            let pages: Vec<&PageResult> = pages.collect();
            let extractors: BTreeSet<&str> =
                pages.iter().map(|page| page.extractor.as_str()).collect();
            reached.extend(extractors.into_iter().map(|extractor| Self {
                set: set.name.clone(),
                digest: set.digest.clone(),
                extractor: extractor.to_owned(),
                summary: summary(
                    (pages.iter().copied()).filter(|page| page.extractor == extractor),
                ),
            }));
        }
        reached
    }
}

/// A violation of the thresholds.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// The gold set has other pages than the thresholds are for.
    OtherPages {
        /// The gold set.
        set: String,
        /// Digest of the pages that the thresholds are for.
        expected: String,
        /// Digest of the pages that were measured.
        found: String,
    },
    /// The extractor or the set is new and has no threshold.
    NoThreshold {
        /// The gold set.
        set: String,
        /// The extractor.
        extractor: String,
    },
    /// A measure is lower than its threshold.
    Below {
        /// The gold set.
        set: String,
        /// The extractor.
        extractor: String,
        /// `precision`, `recall` or `f1`.
        measure: &'static str,
        /// The threshold.
        threshold: f64,
        /// The value that was reached.
        reached: f64,
    },
    /// The extractor has a threshold and was not measured.
    NotMeasured {
        /// The gold set.
        set: String,
        /// The extractor.
        extractor: String,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPages {
                set,
                expected,
                found,
            } => write!(
                f,
                "{set}: the thresholds are for pages {expected}, these are {found}"
            ),
            Self::NoThreshold { set, extractor } => {
                write!(f, "{set}: {extractor} has no threshold")
            }
            Self::Below {
                set,
                extractor,
                measure,
                threshold,
                reached,
            } => write!(
                f,
                "{set}: {measure} of {extractor} is {reached:.4}, its threshold {threshold:.4}"
            ),
            Self::NotMeasured { set, extractor } => {
                write!(f, "{set}: {extractor} has a threshold and was not measured")
            }
        }
    }
}

/// Thresholds are rounded down to 1 / `STEPS`. Smaller losses are not reported.
const STEPS: f64 = 1e4;

impl Threshold {
    fn of(summary: &MacroSummary) -> Self {
        let down = |value: f64| (value * STEPS).floor() / STEPS;
        let score = summary.spread.map(|spread| spread.mean);
        let of = |measure: fn(Score) -> f64| score.map_or(0.0, |score| down(measure(score)));
        Self {
            precision: of(|score| score.precision),
            recall: of(|score| score.recall),
            f1: of(|score| score.f1),
        }
    }

    fn measures(self) -> [(&'static str, f64); 3] {
        [
            ("precision", self.precision),
            ("recall", self.recall),
            ("f1", self.f1),
        ]
    }

    fn is_below(self, other: Self) -> bool {
        let pairs = self.measures().into_iter().zip(other.measures());
        pairs.into_iter().any(|((_, one), (_, other))| one < other)
    }
}

impl Thresholds {
    /// Returns the violations by `reached`. A set without any result is skipped, because a
    /// clone of the repository does not have every set.
    pub fn breaches(&self, reached: &[Reached]) -> Vec<Breach> {
        let mut breaches = Vec::new();
        for one in reached {
            breaches.extend(self.breaches_of(one));
        }
        for (set, thresholds) in &self.sets {
            let measured: Vec<&str> = (reached.iter().filter(|one| one.set == *set))
                .map(|one| one.extractor.as_str())
                .collect();
            let missing = thresholds.extractors.keys();
            let missing = missing.filter(|name| !measured.contains(&name.as_str()));
            if !measured.is_empty() {
                breaches.extend(missing.map(|extractor| Breach::NotMeasured {
                    set: set.clone(),
                    extractor: extractor.clone(),
                }));
            }
        }
        breaches
    }

    fn breaches_of(&self, reached: &Reached) -> Vec<Breach> {
        let (set, extractor) = (reached.set.clone(), reached.extractor.clone());
        let Some(thresholds) = self.sets.get(&set) else {
            return vec![Breach::NoThreshold { set, extractor }];
        };
        if thresholds.digest != reached.digest {
            return vec![Breach::OtherPages {
                set,
                expected: thresholds.digest.clone(),
                found: reached.digest.clone(),
            }];
        }
        let Some(threshold) = thresholds.extractors.get(&extractor) else {
            return vec![Breach::NoThreshold { set, extractor }];
        };
        let found = Threshold::of(&reached.summary).measures();
        (threshold.measures().into_iter().zip(found))
            .filter(|((_, threshold), (_, found))| found < threshold)
            .map(|((measure, threshold), (_, reached))| Breach::Below {
                set: set.clone(),
                extractor: extractor.clone(),
                measure,
                threshold,
                reached,
            })
            .collect()
    }

    /// Sets every threshold to the value in `reached`. A threshold that becomes lower, or is
    /// for other pages, needs a `reason`, which is stored with the set.
    ///
    /// # Errors
    /// The violations, if there is no reason.
    pub fn raise(&mut self, reached: &[Reached], reason: Option<&str>) -> Result<(), Vec<Breach>> {
        let mut breaches = self.breaches(reached);
        breaches.retain(|breach| !matches!(breach, Breach::NoThreshold { .. }));
        if reason.is_none() && !breaches.is_empty() {
            return Err(breaches);
        }
        for one in reached {
            let thresholds = self.sets.entry(one.set.clone()).or_default();
            let threshold = Threshold::of(&one.summary);
            let known = thresholds
                .extractors
                .insert(one.extractor.clone(), threshold);
            let sank = known.is_some_and(|known| threshold.is_below(known));
            let others = !thresholds.digest.is_empty() && thresholds.digest != one.digest;
            if let Some(reason) = reason.filter(|_| sank || others)
                && !thresholds.lowered.iter().any(|known| known == reason)
            {
                thresholds.lowered.push(reason.to_owned());
            }
            thresholds.digest.clone_from(&one.digest);
        }
        Ok(())
    }
}

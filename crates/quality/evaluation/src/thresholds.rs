//! What quality must not fall below.
//!
//! A file of thresholds has the digest of each gold set, and per extractor the precision,
//! recall and F1 that were reached on it:
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

/// Thresholds by gold set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Thresholds {
    sets: BTreeMap<String, SetFloors>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SetFloors {
    digest: String,
    /// Why a threshold is lower than it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lowered: Vec<String>,
    #[serde(flatten)]
    extractors: BTreeMap<String, Threshold>,
}

/// The least that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Threshold {
    precision: f64,
    recall: f64,
    f1: f64,
}

/// What was reached on a set.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The gold set.
    pub set: String,
    /// [`GoldSet::digest`](crate::GoldSet::digest) of it.
    pub digest: String,
    /// The heuristic, or another extractor.
    pub extractor: String,
    /// Macro means over its domains.
    pub summary: MacroSummary,
}

impl Reached {
    /// What each extractor reached on each gold set.
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

/// Something that a threshold forbids.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// There are other pages under the name of the set.
    OtherPages {
        /// The gold set.
        set: String,
        /// Of the pages the thresholds are for.
        expected: String,
        /// Of those that were measured.
        found: String,
    },
    /// There is no threshold: a new set or extractor has to be added.
    NoFloor {
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
        /// What was reached.
        reached: f64,
    },
    /// A threshold that nothing was measured for.
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
            Self::NoFloor { set, extractor } => write!(f, "{set}: {extractor} has no threshold"),
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

/// Digits after the point that thresholds have: what is lost below is no loss.
const DIGITS: f64 = 1e4;

impl Threshold {
    fn of(summary: &MacroSummary) -> Self {
        let down = |value: f64| (value * DIGITS).floor() / DIGITS;
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
    /// All that `reached` breaks. Sets that were not measured at all are passed over:
    /// a clone need not have them.
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
            return vec![Breach::NoFloor { set, extractor }];
        };
        if thresholds.digest != reached.digest {
            return vec![Breach::OtherPages {
                set,
                expected: thresholds.digest.clone(),
                found: reached.digest.clone(),
            }];
        }
        let Some(threshold) = thresholds.extractors.get(&extractor) else {
            return vec![Breach::NoFloor { set, extractor }];
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

    /// Sets every threshold to what was `reached`. One that would sink, or be for other
    /// pages, needs a `reason`, which is kept with it.
    ///
    /// # Errors
    /// The breaches, where there is no reason.
    pub fn raise(&mut self, reached: &[Reached], reason: Option<&str>) -> Result<(), Vec<Breach>> {
        let mut breaches = self.breaches(reached);
        breaches.retain(|breach| !matches!(breach, Breach::NoFloor { .. }));
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

//! The records of a plan that are finished, as a text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::check::{Counts, Outcome};
use crate::plan::{Plan, Request};

/// The outcomes of the records of a plan. As a text it has one line of JSON for the plan, and one for each part of a request that
/// has ended, so a program appends lines, and continues at the first record without an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    plan: PlanLine,
    /// Number of records of each request.
    records: Vec<usize>,
    /// Outcomes of the first records of each request.
    outcomes: Vec<Vec<Outcome>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PlanLine {
    plan: String,
    requests: usize,
    records: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct RequestLine<'a> {
    request: usize,
    outcomes: Cow<'a, [Outcome]>,
}

/// A progress that cannot be continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgressError {
    /// The index, the selection or the limits are other ones than before.
    #[error(
        "the progress is that of another plan: the index, the selection or the limits have changed; begin with an empty progress"
    )]
    OtherPlan,
    /// A line is not JSON of a progress.
    #[error("line {line} of the progress cannot be read: {source}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The error of JSON.
        source: serde_json::Error,
    },
    /// The plan has no such request.
    #[error("the progress has request {request}, and the plan has {requests} requests")]
    NoRequest {
        /// Number of the request, from 0.
        request: usize,
        /// Number of requests.
        requests: usize,
    },
    /// More outcomes than records.
    #[error("request {request} has {outcomes} outcomes of {records} records")]
    TooManyOutcomes {
        /// Number of the request, from 0.
        request: usize,
        /// Number of outcomes.
        outcomes: usize,
        /// Number of records.
        records: usize,
    },
}

impl Progress {
    /// A progress without outcomes.
    pub fn new(plan: &Plan) -> Self {
        let records: Vec<usize> = (plan.requests.iter())
            .map(|request| request.records.len())
            .collect();
        Self {
            plan: PlanLine {
                plan: plan.digest(),
                requests: records.len(),
                records: records.iter().sum(),
            },
            outcomes: vec![Vec::new(); records.len()],
            records,
        }
    }

    /// Reads the text of a progress. A last line without an end is that of a program that was killed, and is ignored. An empty text
    /// is a progress without outcomes.
    ///
    /// # Errors
    ///
    /// Returns a [`ProgressError`] if the text is that of another plan, or if a line cannot be read.
    pub fn read(text: &str, plan: &Plan) -> Result<Self, ProgressError> {
        let mut progress = Self::new(plan);
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (number, line) in whole.lines().enumerate() {
            let line_error = |source| ProgressError::Line {
                line: number + 1,
                source,
            };
            if number == 0 {
                let read: PlanLine = serde_json::from_str(line).map_err(line_error)?;
                if read != progress.plan {
                    return Err(ProgressError::OtherPlan);
                }
                continue;
            }
            let ended: RequestLine = serde_json::from_str(line).map_err(line_error)?;
            progress.add(ended.request, &ended.outcomes)?;
        }
        Ok(progress)
    }

    /// The text of the progress. A program that continues writes it before it appends lines, so that half a line is gone.
    pub fn text(&self) -> String {
        let requests = self.outcomes.iter().enumerate();
        let ended = requests.filter(|(_, outcomes)| !outcomes.is_empty());
        let lines = ended.map(|(request, outcomes)| line(request, outcomes));
        json(&self.plan) + &lines.collect::<String>()
    }

    /// Adds the outcomes of the next records of a request, and returns the line to append to the text.
    ///
    /// # Errors
    ///
    /// Returns a [`ProgressError`] if the plan has no such request, or the request not so many records.
    pub fn end(&mut self, request: usize, outcomes: &[Outcome]) -> Result<String, ProgressError> {
        self.add(request, outcomes)?;
        Ok(line(request, outcomes))
    }

    fn add(&mut self, request: usize, outcomes: &[Outcome]) -> Result<(), ProgressError> {
        let requests = self.plan.requests;
        let (Some(ended), Some(&records)) =
            (self.outcomes.get_mut(request), self.records.get(request))
        else {
            return Err(ProgressError::NoRequest { request, requests });
        };
        let seen = ended.len() + outcomes.len();
        if seen > records {
            return Err(ProgressError::TooManyOutcomes {
                request,
                outcomes: seen,
                records,
            });
        }
        ended.extend(outcomes);
        Ok(())
    }

    /// The requests that are left, each with its number in the plan. A request of which some records are finished begins at the
    /// next one. `plan` is the one that the progress was made with.
    pub fn left<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (usize, Request)> {
        let requests = plan.requests.iter().zip(&self.outcomes).enumerate();
        requests
            .filter_map(|(number, (request, ended))| Some((number, request.after(ended.len())?)))
    }

    /// Counts of the records that are finished.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let outcomes = self.outcomes.iter().flatten();
        outcomes.for_each(|&outcome| counts.count(outcome));
        counts
    }
}

fn line(request: usize, outcomes: &[Outcome]) -> String {
    let outcomes = outcomes.into();
    json(&RequestLine { request, outcomes })
}

/// A line of JSON.
fn json(value: &impl Serialize) -> String {
    // A struct of numbers and texts always has JSON.
    let mut json = serde_json::to_string(value).unwrap_or_default();
    json.push('\n');
    json
}

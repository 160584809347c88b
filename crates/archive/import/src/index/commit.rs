//! Gets the records of a plan, and commits them some at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crawl_index::{Outcome, Request};
use futures::StreamExt;
use tables::Location;

use crate::error::ImportError;
use crate::found::Found;
use crate::index::answer::{Client, Received};
use crate::index::bases::Place;
use crate::index::hosts::{Hosts, host_of};
use crate::index::options::IndexOptions;
use crate::index::planned::{IndexPlan, name};
use crate::index::records::{self, position};
use crate::index::report::IndexReport;
use crate::index::state::State;
use crate::inputs::Input;
use crate::quarantine::Quarantined;
use crate::spool::TemporaryFolder;
use crate::write::{self, Content, ended};
use crate::{Progress, Report};

/// Gets the records of `plan` and writes them into the archive at `output`. See the crate for the layout.
///
/// Each record ends as got, missing or wrong, and the last two are rows of `_quarantine`. A call that was killed continues where
/// the last commit ended. A call for a plan that is finished sends no request.
///
/// # Errors
/// [`ImportError`]. Commits are kept, and the same call continues.
pub async fn import_index(
    plan: &IndexPlan,
    output: &Location,
    options: &IndexOptions,
    progress: &impl Progress,
) -> Result<IndexReport, ImportError> {
    let mut state = State::open(output, &plan.plan).await?;
    let mut report = IndexReport {
        asked_earlier: state.progress.counts().asked(),
        ..IndexReport::default()
    };
    if !state.is_finished() {
        let folder = TemporaryFolder(options.spill_dir.clone());
        let getter = Getter {
            plan,
            client: Client::new()?,
            hosts: Hosts::new(options.manners, options.attempts, state.spent().clone()),
            options,
            folder: folder.clone(),
            progress,
        };
        getter.refused(output, &mut state).await?;
        getter.all(output, &mut state).await?;
        state.finish(getter.hosts.spent(&BTreeMap::new())).await?;
        (report.requests, report.received_bytes) = getter.hosts.sums();
    }
    report.count(&state.progress.counts());
    let mut archive = Report::default();
    for manifest in state.manifests.values() {
        archive.add(manifest);
    }
    report.archive = archive;
    Ok(report)
}

/// Gets the records of a plan.
struct Getter<'a, P> {
    plan: &'a IndexPlan,
    client: Client,
    hosts: Hosts,
    options: &'a IndexOptions,
    folder: TemporaryFolder,
    progress: &'a P,
}

/// The answer to a request of the plan.
struct Answered {
    place: Place,
    /// With the offsets of its server.
    request: Request,
    received: Received,
}

impl<P: Progress> Getter<'_, P> {
    /// Writes the records that cannot be asked for as a commit without outcomes.
    async fn refused(&self, output: &Location, state: &mut State) -> Result<(), ImportError> {
        let input = commit(format!("{}-refused", state.name), 0);
        if self.plan.plan.refused.is_empty() || state.manifests.contains_key(&input.name) {
            return Ok(());
        }
        let mut found = Found::new(&self.folder).map_err(spool(&input))?;
        for refused in &self.plan.plan.refused {
            let record = &refused.record;
            let file = record.file.clone().unwrap_or_default();
            let place = self.plan.bases.place(&file);
            let file: Arc<str> = place.map_or(file, |place| place.label).into();
            found.begin(&file);
            found.add_unusable(Quarantined {
                file: None,
                position: position(record.offset.unwrap_or_default()),
                name: None,
                record_type: None,
                url: record.url.clone(),
                kind: format!("refused: {}", name(refused.reason)),
                reason: format!(
                    "the record of the index cannot be asked for: {}",
                    refused.reason
                ),
            });
        }
        let content = found.content().map_err(spool(&input))?;
        self.write(content, &input, output, state).await
    }

    /// Gets the records that are left, and commits them some requests at a time.
    async fn all(&self, output: &Location, state: &mut State) -> Result<(), ImportError> {
        let requests = &self.plan.plan.requests;
        let left = state.progress.left(&self.plan.plan);
        let left: Vec<usize> = left.map(|(number, _)| number).collect();
        let files: BTreeSet<&str> = (left.iter())
            .map(|number| requests[*number].file.as_str())
            .collect();
        let bytes = left.iter().map(|number| requests[*number].length).sum();
        self.progress.planned(files.len() as u64, bytes);
        let mut left = left.as_slice();
        while let Some(first) = left.first() {
            let mut input = commit(format!("{}-{first:08}", state.name), 0);
            let mut found = Found::new(&self.folder).map_err(spool(&input))?;
            let mut lines = String::new();
            loop {
                let (now, later) = left.split_at(self.fitting(left));
                left = later;
                self.spend(now, state).await?;
                let (taken, outcomes) = self.some(now, found, &input).await?;
                found = taken;
                for (number, outcomes) in now.iter().zip(outcomes) {
                    let line = state.progress.end(*number, &outcomes);
                    lines += &line.map_err(|source| ImportError::Outcomes {
                        import: state.name.clone(),
                        source,
                    })?;
                    input.bytes = input.bytes.map(|bytes| bytes + requests[*number].length);
                }
                // Records of a host that is down are not missing for ever: the next requests decide.
                if left.is_empty() || !self.hosts.is_any_failing() {
                    break;
                }
            }
            let mut content = found.content().map_err(spool(&input))?;
            content.progress = lines;
            self.write(content, &input, output, state).await?;
        }
        Ok(())
    }

    /// The number of requests at the beginning that are committed together, at least one.
    fn fitting(&self, numbers: &[usize]) -> usize {
        let mut bytes = 0;
        let fits = |number: &&usize| {
            let is_first = bytes == 0;
            bytes += self.plan.plan.requests[**number].length;
            is_first || bytes <= self.options.commit_bytes
        };
        numbers.iter().take_while(fits).count()
    }

    /// Notes the budget of these requests before they are sent, so that a call that is killed has used it.
    async fn spend(&self, numbers: &[usize], state: &mut State) -> Result<(), ImportError> {
        let manners = &self.options.manners;
        if manners.bytes_a_day.is_none() && manners.requests_a_day.is_none() {
            return Ok(());
        }
        let spent = self.hosts.spent(&self.reserved(numbers));
        state.spend(spent).await
    }

    /// Requests and bytes of each host.
    fn reserved(&self, numbers: &[usize]) -> BTreeMap<String, (u64, u64)> {
        let mut reserved: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for number in numbers {
            let request = &self.plan.plan.requests[*number];
            if let Some(place) = self.plan.bases.place(&request.file) {
                let (requests, bytes) = reserved.entry(host_of(&place.location)).or_default();
                *requests += 1;
                *bytes += request.length;
            }
        }
        reserved
    }

    /// Gets the records of some requests.
    async fn some(
        &self,
        numbers: &[usize],
        mut found: Found,
        input: &Input,
    ) -> Result<(Found, Vec<Vec<Outcome>>), ImportError> {
        let hosts = self.reserved(numbers).len().max(1);
        let at_once = self.options.manners.at_once.max(1) * hosts;
        let answers = futures::stream::iter(numbers.iter().copied());
        let mut answers = std::pin::pin!(answers.map(|number| self.one(number)).buffered(at_once));
        let mut outcomes = Vec::new();
        while let Some(answered) = answers.next().await {
            let answered = answered?;
            self.progress.read(answered.request.length);
            let limits = self.options.limits;
            let checked = tokio::task::spawn_blocking(move || {
                let Answered {
                    place,
                    request,
                    received,
                } = answered;
                let start = place.within.map_or(0, |within| within.start);
                let file = place.label.into();
                let outcomes =
                    records::add(&mut found, &file, (&request, start), &received, limits);
                (found, outcomes)
            });
            let (taken, ended_as) = checked.await.map_err(|_| ended(input))?;
            found = taken;
            outcomes.push(ended_as.map_err(spool(input))?);
        }
        Ok((found, outcomes))
    }

    /// Sends a request until it has an answer.
    async fn one(&self, number: usize) -> Result<Answered, ImportError> {
        let request = &self.plan.plan.requests[number];
        let Some(place) = self.plan.bases.place(&request.file) else {
            return Err(ImportError::Task {
                input: request.file.clone(),
            });
        };
        let request = records::shifted(request, place.within.as_ref());
        let received = if place
            .within
            .as_ref()
            .is_some_and(|within| within.is_empty())
        {
            // The index of a WACZ file names a file that is not in it.
            Received {
                status: Some(404),
                ..Received::default()
            }
        } else {
            let send = || {
                self.client
                    .range(&place.location, request.offset..request.end())
            };
            let host = host_of(&place.location);
            let asked = self.hosts.ask(&host, request.length, send, self.progress);
            asked.await?
        };
        Ok(Answered {
            place,
            request,
            received,
        })
    }

    async fn write(
        &self,
        content: Content,
        input: &Input,
        output: &Location,
        state: &mut State,
    ) -> Result<(), ImportError> {
        let bytes = input.bytes.unwrap_or_default();
        let written = write::write(content, input, bytes, None, output, &self.folder).await?;
        state.manifests.insert(input.name.clone(), written);
        Ok(())
    }
}

/// The records that are committed together, as an input.
fn commit(name: String, bytes: u64) -> Input {
    Input {
        label: name.clone(),
        name,
        location: None,
        range: None,
        bytes: Some(bytes),
        tag: None,
    }
}

fn spool(input: &Input) -> impl Fn(std::io::Error) -> ImportError {
    let input = input.label.clone();
    move |source| ImportError::Spool {
        input: input.clone(),
        source,
    }
}

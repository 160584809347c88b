//! The way between processes and the store, as an [`ObjectStore`] of each process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt};
use lease::Host;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result,
};
use tokio::sync::oneshot;

use super::objects::{Answer, Object, Request};
use super::process::{Fault, SimHost, UNTIL_THE_END};
use super::scheduler::{State, World};

/// Attempts of a client for one request.
const ATTEMPTS: u32 = 3;

/// The folder of the leases.
pub(crate) const LEASES: &str = "t/_leases";

/// The delays and faults of requests. Times are microseconds, probabilities thousandths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Network {
    /// The most that one way takes.
    pub(crate) delay: u64,
    /// Ways that take up to twenty times as long.
    pub(crate) slow: u64,
    /// Requests that never arrive.
    pub(crate) lost: u64,
    /// Answers that never arrive.
    pub(crate) lost_answers: u64,
    /// Requests that arrive long after the client has given them up.
    pub(crate) late: u64,
    /// Writes that arrive again later.
    pub(crate) repeated: u64,
    /// Whether the store has no put-if-absent: a fault that the tests of the simulation inject.
    pub(crate) ignores_if_absent: bool,
}

impl Network {
    pub(crate) const CALM: Self = Self {
        delay: 10_000,
        slow: 0,
        lost: 0,
        lost_answers: 0,
        late: 0,
        repeated: 0,
        ignores_if_absent: false,
    };
}

/// The time of the latest late request.
pub(crate) const LATEST: u64 = 8_000_000;
/// The time after which a client takes an attempt for lost.
const GIVEN_UP: u64 = 300_000;

/// The client of one process.
#[derive(Clone)]
pub(crate) struct SimStore(pub(crate) SimHost);

impl fmt::Debug for SimStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SimStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store of process {}", self.0.process)
    }
}

impl SimStore {
    /// Sends the request until an answer comes, as the clients of `object_store` do.
    async fn ask(&self, request: Request) -> Result<Answer> {
        let host = &self.0;
        let is_heartbeat = request.is_write() && request.path().starts_with(LEASES);
        if is_heartbeat {
            let mut state = host.world.state();
            let now = state.now;
            let process = &mut state.processes[host.process];
            // A write that was given up.
            process.is_disturbed |= process.lease_write.replace(now).is_some();
        }
        let mut answer = None;
        for attempt in 0..ATTEMPTS {
            if let Ok(arrived) = send(&host.world, host.process, &request).await {
                answer = Some(arrived);
                break;
            }
            host.sleep(Duration::from_millis(50 << attempt)).await;
        }
        if is_heartbeat {
            let mut state = host.world.state();
            let now = state.now;
            let process = &mut state.processes[host.process];
            let begun = process.lease_write.take();
            process.is_disturbed |= begun.is_some_and(|begun| now - begun > SLOW_LEASE_WRITE);
            process.is_disturbed |= answer.is_none();
        }
        answer.ok_or_else(|| Error::Generic {
            store: "simulation",
            source: NoAnswer.into(),
        })
    }
}

/// A write of a lease that takes longer disturbs its owner: three quarters of the heartbeat.
pub(crate) const SLOW_LEASE_WRITE: u64 = 750 * super::plan::HEARTBEAT_MILLIS;

/// No attempt of a request was answered.
#[derive(Debug, thiserror::Error)]
#[error("no answer")]
pub(crate) struct NoAnswer;

/// Sends a request once. The sender of the answer is dropped if none will come.
fn send(world: &Arc<World>, process: usize, request: &Request) -> oneshot::Receiver<Answer> {
    let (sender, answer) = oneshot::channel();
    let state = &mut *world.state();
    fail_process(state, process);
    let network = state.network;
    let way = |state: &mut State| {
        let most = if state.random.permille(network.slow) {
            network.delay * 20
        } else {
            network.delay
        };
        state.random.within(1_000..=most)
    };
    let (there, back) = (way(state), way(state));
    let sent = request.clone();
    let random = &mut state.random;
    if random.permille(network.lost) {
        state.line(process, format_args!("loses a {}", request.name()));
        disturb(state, process, request);
        state.act_after(GIVEN_UP, move |_| drop(sender));
    } else if random.permille(network.late) {
        let late = random.within(GIVEN_UP..=LATEST);
        state.line(process, format_args!("is late with a {}", request.name()));
        disturb(state, process, request);
        state.act_after(GIVEN_UP, move |_| drop(sender));
        state.act_after(late, move |world| {
            arrive(world, process, &sent);
        });
    } else if random.permille(network.lost_answers) {
        disturb(state, process, request);
        state.act_after(there, move |world| {
            arrive(world, process, &sent);
            world.state().act_after(GIVEN_UP, move |_| drop(sender));
        });
    } else {
        if request.is_write() && random.permille(network.repeated) {
            let again = random.within(there..=LATEST);
            let sent = request.clone();
            disturb(state, process, request);
            state.act_after(again, move |world| {
                arrive(world, process, &sent);
            });
        }
        state.act_after(there, move |world| {
            let answer = arrive(world, process, &sent);
            // A process that has ended does not listen.
            let answered = move |_: &Arc<World>| drop(sender.send(answer));
            world.state().act_after(back, answered);
        });
    }
    answer
}

/// A fault of a write of its lease disturbs an owner.
fn disturb(state: &mut State, process: usize, request: &Request) {
    if request.is_write() && request.path().starts_with(LEASES) {
        state.processes[process].is_disturbed = true;
    }
}

/// The request arrives at the store.
fn arrive(world: &Arc<World>, process: usize, request: &Request) -> Answer {
    let state = &mut *world.state();
    let mut request = request.clone();
    if let Request::Put { if_absent, .. } = &mut request
        && state.network.ignores_if_absent
    {
        *if_absent = false;
    }
    let before = state.objects.0.get(request.path()).cloned();
    let answer = state.objects.apply(&request, state.now);
    if request.is_write() {
        let effect = match &answer {
            Answer::Exists => "refused",
            Answer::Missing => "nothing",
            _ => "done",
        };
        let (name, path) = (request.name(), request.path());
        state.line(process, format_args!("{name} {path}: {effect}"));
    }
    if request.is_write() && matches!(answer, Answer::Done) {
        super::checks::after(state, process, &request, before.as_ref());
    }
    answer
}

/// Freezes, kills or interrupts the process if this is the request at which it should be.
fn fail_process(state: &mut State, process: usize) {
    let now = state.now;
    let it = &mut state.processes[process];
    it.requests += 1;
    let Some(next) = (it.faults.iter()).position(|(request, _)| *request == it.requests) else {
        return;
    };
    let (_, fault) = it.faults.swap_remove(next);
    match fault {
        Fault::Freeze {
            micros,
            stops_clock,
        } => {
            it.freeze(now, micros, stops_clock);
            if micros != UNTIL_THE_END {
                state.act_after(micros, move |world| world.thaw(process));
            }
        }
        Fault::Kill => it.is_killed = true,
        Fault::Interrupt => {
            if let Some(interrupt) = it.interrupt.take() {
                let _ = interrupt.send(());
            }
        }
    }
    state.line(process, format_args!("{fault:?}"));
}

fn meta(path: &str, size: u64, modified: u64) -> ObjectMeta {
    let modified = Duration::from_micros(modified);
    ObjectMeta {
        location: Path::from(path),
        last_modified: (std::time::UNIX_EPOCH + modified).into(),
        size,
        e_tag: None,
        version: None,
    }
}

fn missing(path: &str) -> Error {
    Error::NotFound {
        path: path.to_owned(),
        source: "no such object".into(),
    }
}

#[async_trait]
impl ObjectStore for SimStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let path = location.to_string();
        let put = Request::Put {
            path: path.clone(),
            bytes: payload.into(),
            if_absent: options.mode == PutMode::Create,
        };
        match self.ask(put).await? {
            Answer::Exists => Err(Error::AlreadyExists {
                path,
                source: "it exists".into(),
            }),
            _ => Ok(PutResult {
                e_tag: None,
                version: None,
            }),
        }
    }

    async fn get_opts(&self, location: &Path, _: GetOptions) -> Result<GetResult> {
        let path = location.to_string();
        match self.ask(Request::Get(path.clone())).await? {
            Answer::Object(Object { bytes, modified }) => Ok(GetResult {
                range: 0..bytes.len() as u64,
                meta: meta(&path, bytes.len() as u64, modified),
                payload: GetResultPayload::Stream(stream::iter([Ok(bytes)]).boxed()),
                attributes: Default::default(),
            }),
            _ => Err(missing(&path)),
        }
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let store = self.clone();
        let deleted = locations.then(move |location| {
            let store = store.clone();
            async move {
                let location = location?;
                match store.ask(Request::Delete(location.to_string())).await? {
                    Answer::Missing => Err(missing(location.as_ref())),
                    _ => Ok(location),
                }
            }
        });
        deleted.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_from(prefix, None)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.list_from(prefix, Some(offset.to_string()))
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(Error::NotImplemented {
            operation: "list_with_delimiter".to_owned(),
            implementer: "simulation".to_owned(),
        })
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(Error::NotImplemented {
            operation: "put_multipart_opts".to_owned(),
            implementer: "simulation".to_owned(),
        })
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(Error::NotImplemented {
            operation: "copy_opts".to_owned(),
            implementer: "simulation".to_owned(),
        })
    }
}

impl SimStore {
    fn list_from(
        &self,
        folder: Option<&Path>,
        after: Option<String>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let store = self.clone();
        let folder = folder.map(ToString::to_string).unwrap_or_default();
        let listed = async move {
            match store.ask(Request::List { folder, after }).await? {
                Answer::List(entries) => {
                    Ok(stream::iter(entries.into_iter().map(
                        |(path, size, modified)| Ok(meta(&path, size, modified)),
                    )))
                }
                _ => Err(missing("")),
            }
        };
        stream::once(listed)
            .flat_map(|listed| match listed {
                Ok(entries) => entries.boxed(),
                Err(error) => stream::iter([Err(error)]).boxed(),
            })
            .boxed()
    }
}

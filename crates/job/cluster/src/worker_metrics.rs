//! Health and metrics of a worker, over HTTP.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::{StepCount, StepCounters, WorkerRuntime};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::error::ClusterError;

/// The content type of the OpenMetrics text format.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The work of a worker, and its readiness for more.
#[derive(Debug, Default)]
pub struct WorkerMetrics {
    steps: Arc<StepCounters>,
    runtime: OnceLock<WorkerRuntime>,
    is_ready: AtomicBool,
}

impl WorkerMetrics {
    pub(crate) fn steps(&self) -> &Arc<StepCounters> {
        &self.steps
    }

    /// Reports the memory and the disk of `runtime`. A second runtime is ignored.
    pub(crate) fn watch(&self, runtime: WorkerRuntime) {
        let _ = self.runtime.set(runtime);
    }

    pub(crate) fn set_ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Relaxed);
    }
}

/// Answers `/healthz` (the process runs), `/readyz` (it takes work; 503 before and after) and
/// `/metrics` (OpenMetrics, which Prometheus reads) until `stop` is cancelled.
///
/// # Errors
/// Where the server fails.
pub async fn serve_metrics(
    listener: TcpListener,
    metrics: Arc<WorkerMetrics>,
    stop: CancellationToken,
) -> Result<(), ClusterError> {
    let address = listener.local_addr();
    let routes = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(text))
        .with_state(metrics);
    let served = axum::serve(listener, routes).with_graceful_shutdown(stop.cancelled_owned());
    served.await.map_err(|source| ClusterError::Listen {
        address: address.map_or_else(|_| String::new(), |address| address.to_string()),
        source,
    })
}

async fn ready(State(metrics): State<Arc<WorkerMetrics>>) -> (StatusCode, &'static str) {
    if metrics.is_ready.load(Ordering::Relaxed) {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready\n")
    }
}

async fn text(State(metrics): State<Arc<WorkerMetrics>>) -> Response {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(metrics));
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

impl Collector for WorkerMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let steps = self.steps.counts();
        let mut of_steps = |name: &str, help: &str, value: fn(&StepCount) -> u64| {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (step, count) in &steps {
                let labels = [("step", *step)];
                ConstCounter::new(value(count)).encode(family.encode_family(&labels)?)?;
            }
            Ok(())
        };
        of_steps(
            "urltree_step_rows",
            "Rows that a step gave; those of Block are pages",
            |count| count.rows,
        )?;
        of_steps(
            "urltree_step_bytes",
            "Bytes of the rows that a step gave, in memory",
            |count| count.bytes,
        )?;
        let Some(runtime) = self.runtime.get() else {
            return Ok(());
        };
        let mut gauge = |name: &str, help: &str, value: u64| {
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            // Saturates above eight exabytes.
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            ConstGauge::new(value).encode(metric)
        };
        gauge(
            "urltree_reserved_memory_bytes",
            "Memory that operators have reserved",
            runtime.reserved_memory() as u64,
        )?;
        gauge(
            "urltree_spilled_bytes",
            "Bytes of rows on disk",
            runtime.spilled(),
        )?;
        if let Some(peak) = runtime.peak_memory() {
            gauge(
                "urltree_peak_memory_bytes",
                "Most memory that the process has had resident",
                peak,
            )?;
        }
        Ok(())
    }
}

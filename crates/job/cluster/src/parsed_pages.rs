//! The pages that a worker has parsed for a job, for the progress of its driver.
//!
//! A driver asks at the address at which the worker takes plans, with the same certificate.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use datafusion::error::{DataFusionError, Result};
use http_body_util::BodyExt;
use tonic::body::Body;
use tonic::transport::Channel;
use tower::ServiceExt;

use crate::jobs::Jobs;

/// Most bytes of an answer that are read.
const MAX_BYTES: usize = 20;

/// Answers `/parsed/ID` with the pages that were parsed for the job of this name ([`job_id`](crate::jobs::job_id)).
pub(crate) fn parsed_pages(jobs: Arc<Jobs>) -> Router {
    Router::new()
        .route("/parsed/{job}", get(answer))
        .with_state(jobs)
}

async fn answer(
    State(jobs): State<Arc<Jobs>>,
    Path(job): Path<String>,
) -> Result<String, StatusCode> {
    let pages = jobs.parsed_pages(&job).ok_or(StatusCode::NOT_FOUND)?;
    Ok(pages.to_string())
}

/// Asks a worker for the pages that it has parsed for a job. A worker that does not know the job has
/// parsed none.
pub(crate) async fn ask(worker: Channel, job: &str) -> Result<u64> {
    let external =
        |error: Box<dyn std::error::Error + Send + Sync>| DataFusionError::External(error);
    let request = axum::http::Request::get(format!("/parsed/{job}")).body(Body::empty());
    let request = request.map_err(|error| external(error.into()))?;
    let answer = worker.oneshot(request).await;
    let answer = answer.map_err(|error| external(error.into()))?;
    if answer.status() == StatusCode::NOT_FOUND {
        return Ok(0);
    }
    let body = http_body_util::Limited::new(answer.into_body(), MAX_BYTES);
    let body = body.collect().await.map_err(external)?.to_bytes();
    let text = String::from_utf8_lossy(&body);
    text.parse()
        .map_err(|_| DataFusionError::Execution(format!("`{text}` is no number of pages")))
}

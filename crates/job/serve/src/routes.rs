//! The addresses of pages, and the responses to requests for them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Form, Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_DNS_PREFETCH_CONTROL, X_FRAME_OPTIONS,
};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use report::{LIVE_ICON, LIVE_POLICY, LIVE_SCRIPT, LIVE_STYLE, ORIGINAL_POLICY};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::guard::Hosts;
use crate::pages::{Answer, Kind, Mark, Pages, Question, Search, Status};

/// Pages that are computed at a time, queries among them. Each has its share of the memory of the job.
pub const MAX_PAGES: usize = 4;

/// Queries that are computed at a time. With as many as pages, slow queries would keep pages waiting.
pub const MAX_QUERIES: usize = 2;

/// Most bytes of a form. A query has some hundreds.
const MAX_FORM_BYTES: usize = 256 << 10;

/// The headers of every response, refusals among them, that does not have others of these names.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, LIVE_POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // The origin of a form is `null` with a stricter policy, and forms of other sites have that too.
    (REFERRER_POLICY, "same-origin"),
    (X_FRAME_OPTIONS, "DENY"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// The headers of the original of a page.
const ORIGINAL_HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, ORIGINAL_POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "SAMEORIGIN"),
    // No directive of a policy is about the names of links.
    (X_DNS_PREFETCH_CONTROL, "off"),
];

/// The headers of a file of rows.
const CSV_HEADERS: [(HeaderName, &str); 2] = [
    (CONTENT_TYPE, "text/csv; charset=utf-8"),
    (CONTENT_DISPOSITION, "attachment; filename=\"result.csv\""),
];

struct Server<P> {
    pages: P,
    places: Semaphore,
    query_places: Semaphore,
}

/// The conditions under which requests are answered.
#[derive(Clone)]
struct Door {
    hosts: Hosts,
    stop: CancellationToken,
}

/// Returns the routes to `pages`. Once `stop` is cancelled, pages that are being computed are given up.
pub(crate) fn routes<P: Pages>(pages: P, hosts: Hosts, stop: CancellationToken) -> Router {
    let server = Server {
        pages,
        places: Semaphore::new(MAX_PAGES),
        query_places: Semaphore::new(MAX_QUERIES),
    };
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, kind)], text) })
    };
    Router::new()
        .route("/", get(overview::<P>))
        .route("/domains", get(domains::<P>))
        .route("/domain", get(domain::<P>))
        .route("/quarantine", get(quarantine::<P>))
        .route("/search", get(search::<P>))
        .route("/page", get(page::<P>))
        .route("/original", get(original::<P>))
        .route("/sql", get(form::<P>).post(query::<P>))
        .route("/mark", get(mark_form::<P>).post(mark::<P>))
        .route("/style.css", file("text/css; charset=utf-8", LIVE_STYLE))
        .route(
            "/table.js",
            file("text/javascript; charset=utf-8", LIVE_SCRIPT),
        )
        .route("/icon.svg", file("image/svg+xml", LIVE_ICON))
        .fallback(elsewhere::<P>)
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .with_state(Arc::new(server))
        .layer(from_fn_with_state(Door { hosts, stop }, guarded))
        .layer(map_response(with_headers))
}

/// Refuses what other sites send, and gives up what is not answered when the server ends.
async fn guarded(State(door): State<Door>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(refusal) = door.hosts.check(&parts) {
        return (refusal.status(), refusal.reason()).into_response();
    }
    tokio::select! {
        response = next.run(Request::from_parts(parts, body)) => response,
        () = door.stop.cancelled() => {
            (StatusCode::SERVICE_UNAVAILABLE, "The server ends.\n").into_response()
        }
    }
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

impl<P: Pages> Server<P> {
    async fn answered(&self, question: Question) -> Response {
        // The semaphores are never closed.
        let _query = match question {
            Question::Search(_)
            | Question::Query { .. }
            | Question::Download { .. }
            | Question::Mark(_)
            | Question::SavedMark(_) => self.query_places.acquire().await.ok(),
            _ => None,
        };
        let _place = self.places.acquire().await.ok();
        let Answer { status, kind, text } = self.pages.answer(question).await;
        let status = match status {
            Status::Ok => StatusCode::OK,
            Status::NotFound => StatusCode::NOT_FOUND,
            Status::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            Status::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Status::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        match kind {
            Kind::Page => (status, Html(text)).into_response(),
            Kind::Original => (status, ORIGINAL_HEADERS, Html(text)).into_response(),
            Kind::Csv => (status, CSV_HEADERS, text).into_response(),
        }
    }
}

#[derive(Deserialize)]
struct DomainName {
    name: String,
}

#[derive(Deserialize)]
struct PageUrl {
    url: String,
    at: Option<String>,
}

#[derive(Deserialize)]
struct FormText {
    #[serde(default)]
    query: String,
}

#[derive(Deserialize)]
struct SentMark {
    #[serde(flatten)]
    mark: Mark,
    save: Option<String>,
}

#[derive(Deserialize)]
struct Sql {
    query: String,
    /// `csv` for a file.
    download: Option<String>,
}

type Asked<P> = State<Arc<Server<P>>>;

async fn overview<P: Pages>(State(server): Asked<P>) -> Response {
    server.answered(Question::Overview).await
}

async fn domains<P: Pages>(State(server): Asked<P>) -> Response {
    server.answered(Question::Domains).await
}

async fn quarantine<P: Pages>(State(server): Asked<P>) -> Response {
    server.answered(Question::Quarantine).await
}

async fn domain<P: Pages>(
    State(server): Asked<P>,
    Query(DomainName { name }): Query<DomainName>,
) -> Response {
    server.answered(Question::Domain { name }).await
}

async fn search<P: Pages>(State(server): Asked<P>, Query(search): Query<Search>) -> Response {
    server.answered(Question::Search(search)).await
}

async fn original<P: Pages>(
    State(server): Asked<P>,
    Query(PageUrl { url, at }): Query<PageUrl>,
) -> Response {
    server.answered(Question::Original { url, at }).await
}

async fn page<P: Pages>(
    State(server): Asked<P>,
    Query(PageUrl { url, at }): Query<PageUrl>,
) -> Response {
    server.answered(Question::Page { url, at }).await
}

async fn form<P: Pages>(
    State(server): Asked<P>,
    Query(FormText { query }): Query<FormText>,
) -> Response {
    server.answered(Question::Form { query }).await
}

async fn query<P: Pages>(State(server): Asked<P>, Form(sent): Form<Sql>) -> Response {
    let sql = sent.query;
    let question = match sent.download.as_deref() {
        Some("csv") => Question::Download { sql },
        _ => Question::Query { sql },
    };
    server.answered(question).await
}

async fn mark_form<P: Pages>(State(server): Asked<P>, Query(mark): Query<Mark>) -> Response {
    server.answered(Question::MarkForm(mark)).await
}

async fn mark<P: Pages>(State(server): Asked<P>, Form(sent): Form<SentMark>) -> Response {
    let question = match sent.save.as_deref() {
        Some("yes") => Question::SavedMark(sent.mark),
        _ => Question::Mark(sent.mark),
    };
    server.answered(question).await
}

async fn elsewhere<P: Pages>(State(server): Asked<P>, uri: Uri) -> Response {
    let path = uri.path().to_owned();
    server.answered(Question::Elsewhere { path }).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::Body;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    /// Answers with the question, queries after a long time.
    struct Echo;

    impl Pages for Echo {
        async fn answer(&self, question: Question) -> Answer {
            if matches!(question, Question::Query { .. }) {
                tokio::time::sleep(Duration::from_secs(3600)).await;
            }
            Answer {
                kind: match question {
                    Question::Original { .. } => Kind::Original,
                    Question::Download { .. } => Kind::Csv,
                    _ => Kind::Page,
                },
                ..Answer::page(Status::Ok, format!("{question:?}"))
            }
        }
    }

    fn router(stop: &CancellationToken) -> Router {
        let hosts = Hosts::of("127.0.0.1:7080".parse().unwrap());
        routes(Echo, hosts, stop.clone())
    }

    async fn sent(router: Router, method: &str, uri: &str, body: &str) -> (StatusCode, String) {
        let response = responded(router, method, uri, body).await;
        let status = response.status();
        for (name, value) in HEADERS {
            assert_eq!(response.headers()[&name], value, "{uri}");
        }
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    async fn responded(router: Router, method: &str, uri: &str, body: &str) -> Response {
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header("host", "localhost:7080")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body.to_owned()))
            .unwrap();
        router.oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn an_original_has_its_own_policy_and_a_file_of_rows_is_saved() {
        let stop = CancellationToken::new();
        let original = responded(router(&stop), "GET", "/original?url=http://a/", "").await;
        let header = |name: &str| original.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        for directive in [
            "default-src 'none'",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "sandbox",
            "frame-ancestors 'self'",
        ] {
            assert!(policy.split("; ").any(|is| is == directive), "{policy}");
        }
        assert_eq!(
            original
                .headers()
                .get_all("content-security-policy")
                .iter()
                .count(),
            1
        );
        assert_eq!(header("x-frame-options"), "SAMEORIGIN");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-content-type-options"), "nosniff");
        let form = "query=SELECT+1&download=csv";
        let file = responded(router(&stop), "POST", "/sql", form).await;
        assert_eq!(file.headers()[CONTENT_TYPE], "text/csv; charset=utf-8");
        assert_eq!(
            file.headers()[CONTENT_DISPOSITION],
            "attachment; filename=\"result.csv\""
        );
        assert_eq!(file.headers()[CONTENT_SECURITY_POLICY], LIVE_POLICY);
    }

    #[tokio::test]
    async fn addresses_are_questions_and_every_response_has_the_policy() {
        let stop = CancellationToken::new();
        for (uri, expected) in [
            ("/", "Overview"),
            ("/domains", "Domains"),
            ("/domain?name=a%26b+c", "Domain { name: \"a&b c\" }"),
            (
                "/page?url=http%3A%2F%2Fa%2F",
                "Page { url: \"http://a/\", at: None }",
            ),
            (
                "/search?text=tea+house",
                "Search(Search { text: \"tea house\", domain: \"\" })",
            ),
            ("/sql", "Form { query: \"\" }"),
            ("/mark?url=http%3A%2F%2Fa%2F&path=p", "MarkForm(Mark { url"),
            // A link does not run a query, and marks nothing.
            ("/mark?url=a&path=p&label=content&save=yes", "MarkForm(Mark"),
            ("/sql?query=SELECT+1", "Form { query: \"SELECT 1\" }"),
            ("/../etc/passwd", "Elsewhere { path: \"/../etc/passwd\" }"),
            ("/style.css", ".charts"),
            ("/table.js", "use strict"),
        ] {
            let (status, body) = sent(router(&stop), "GET", uri, "").await;
            assert_eq!(status, StatusCode::OK, "{uri}");
            assert!(body.contains(expected), "{uri}: {body}");
        }
        for (method, uri) in [("GET", "/domain"), ("POST", "/"), ("DELETE", "/sql")] {
            let (status, _) = sent(router(&stop), method, uri, "").await;
            assert!(status.is_client_error(), "{method} {uri}: {status}");
        }
        for (body, expected) in [
            (
                "url=a&path=p&label=content",
                "Mark(Mark { url: \"a\", at: \"\", path: \"p\"",
            ),
            ("url=a&path=p&label=content&save=yes", "SavedMark(Mark"),
        ] {
            let (_, answer) = sent(router(&stop), "POST", "/mark", body).await;
            assert!(answer.starts_with(expected), "{answer}");
        }
        let long = format!("query={}", "a".repeat(MAX_FORM_BYTES));
        let (status, _) = sent(router(&stop), "POST", "/sql", &long).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn slow_queries_leave_places_for_pages_and_are_given_up_at_the_end() {
        let stop = CancellationToken::new();
        let router = router(&stop);
        let slow: Vec<_> = (0..MAX_PAGES + 1)
            .map(|_| tokio::spawn(sent(router.clone(), "POST", "/sql", "query=SELECT+1")))
            .collect();
        tokio::task::yield_now().await;
        let (status, _) = sent(router, "GET", "/", "").await;
        assert_eq!(status, StatusCode::OK);
        stop.cancel();
        for answer in slow {
            let (status, _) = answer.await.unwrap();
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        }
    }
}

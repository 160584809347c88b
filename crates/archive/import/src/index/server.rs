//! The answers of a CDX server.

use crawl_index::{Reader, Selection};
use serde_json::Value;
use url::Url;

use crate::Progress;
use crate::error::ImportError;
use crate::index::answer::{Client, Received};
use crate::index::chooser::{Chooser, Origin};
use crate::index::hosts::{Hosts, host_of_url};

/// Most bytes of one answer. A page of Common Crawl's server has some 15,000 lines, 10 MB.
const MAX_ANSWER: u64 = 256 << 20;

/// Asks for the records of `selection`.
pub(crate) async fn read(
    endpoint: &Url,
    selection: &Selection,
    origin: &Origin,
    (client, hosts): (&Client, &Hosts),
    mut chooser: Chooser,
    progress: &impl Progress,
) -> Result<Chooser, ImportError> {
    let ask = async |url: Url| {
        let host = host_of_url(&url);
        let send = || client.get(&url, None, MAX_ANSWER);
        hosts.ask(&host, 0, send, progress).await
    };
    let queries = selection.queries().ok_or_else(|| ImportError::Index {
        index: origin.index.clone(),
        problem: "a server is asked for sites; choose them by --domain, --host, --prefix or --list"
            .to_owned(),
    })?;
    for query in queries {
        let mut url = endpoint.clone();
        url.query_pairs_mut()
            .append_pair("url", &query.url)
            .append_pair("matchType", query.match_type)
            .append_pair("output", "json");
        let bounds = [
            ("from", selection.from),
            // The bound of servers is included.
            (
                "to",
                selection.before.map(|before| before.saturating_sub(1)),
            ),
        ];
        for (name, seconds) in bounds {
            let time = seconds.and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
            if let Some(time) = time {
                let digits = time.format("%Y%m%d%H%M%S").to_string();
                url.query_pairs_mut().append_pair(name, &digits);
            }
        }
        let with = |name: &str, value: &str| {
            let mut url = url.clone();
            url.query_pairs_mut().append_pair(name, value);
            url
        };
        // Without the number of a page, servers of many records answer with the first page.
        let pages = pages(&ask(with("showNumPages", "true")).await?);
        let asked = match pages {
            Some(pages) => (0..pages)
                .map(|page| with("page", &page.to_string()))
                .collect(),
            None => vec![url],
        };
        for url in asked {
            let received = ask(url).await?;
            if !matches!(received.status, Some(200 | 404)) || received.is_cut {
                return Err(ImportError::Index {
                    index: origin.index.clone(),
                    problem: format!("the server has failed with {}", received.name()),
                });
            }
            if received.body.len() as u64 >= MAX_ANSWER {
                return Err(ImportError::Index {
                    index: origin.index.clone(),
                    problem: format!(
                        "an answer has more than {MAX_ANSWER} bytes; choose fewer records"
                    ),
                });
            }
            let mut reader = Reader::default();
            for line in received.body.split(|&byte| byte == b'\n') {
                chooser.line(&mut reader, line, origin)?;
            }
        }
    }
    Ok(chooser)
}

/// The number of pages of an answer, if the server has pages: a number, or an object.
fn pages(received: &Received) -> Option<u64> {
    if received.status != Some(200) {
        return None;
    }
    let answer: Value = serde_json::from_slice(&received.body).ok()?;
    answer.as_u64().or_else(|| answer.get("pages")?.as_u64())
}

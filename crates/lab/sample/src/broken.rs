//! Broken rows: rows that are not a page, or not the requested page.

use chrono::NaiveDate;

use crate::moment::{Moment, Subject};
use crate::page::render;
use crate::row::{Page, fetched};
use crate::story::{STORIES, Story};

/// The kinds of broken rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    Empty,
    Picture,
    NotFound,
    ServerError,
    NoUrl,
    InvalidUrl,
    /// A page that was cut off in the middle.
    Truncated,
    /// A page whose text is written by a script.
    ScriptOnly,
    /// A "not found" page with status 200.
    SoftNotFound,
}

impl Broken {
    pub(crate) const ALL: [Broken; 9] = [
        Broken::Empty,
        Broken::Picture,
        Broken::NotFound,
        Broken::ServerError,
        Broken::NoUrl,
        Broken::InvalidUrl,
        Broken::Truncated,
        Broken::ScriptOnly,
        Broken::SoftNotFound,
    ];
}

pub(crate) fn broken(kind: Broken, moment: &Moment<'_>, date: NaiveDate, row: usize) -> Page {
    let story = Story::new(moment.seed, moment.index, date, STORIES + row);
    let page = |html: Vec<u8>| {
        fetched(
            moment.site,
            moment.at,
            story.url.clone(),
            story.url.clone(),
            html,
        )
    };
    match kind {
        Broken::Empty => page(if row.is_multiple_of(2) {
            Vec::new()
        } else {
            b" \r\n\r\n".to_vec()
        }),
        Broken::Picture => Page {
            content_type: Some("image/jpeg".to_owned()),
            ..page(picture(row))
        },
        Broken::NotFound => Page {
            http_status: Some(404),
            ..page(render(moment, Subject::NotFound))
        },
        Broken::ServerError => Page {
            http_status: Some(500),
            ..page(b"<html><body><h1>Internal Server Error</h1><hr>nginx</body></html>".to_vec())
        },
        Broken::NoUrl => Page {
            url: None,
            request_url: None,
            ..page(render(moment, Subject::Story(&story)))
        },
        Broken::InvalidUrl => {
            let url = match row % 2 {
                0 => story.url.replacen("://", "//", 1),
                _ => format!("http://[{}", story.id),
            };
            Page {
                url: Some(url.clone()),
                request_url: Some(url),
                ..page(render(moment, Subject::Story(&story)))
            }
        }
        Broken::Truncated => {
            let mut html = render(moment, Subject::Story(&story));
            html.truncate(html.len() * 3 / 5);
            page(html)
        }
        Broken::ScriptOnly => page(render(moment, Subject::Script)),
        Broken::SoftNotFound => page(render(moment, Subject::NotFound)),
    }
}

/// Returns the first bytes of a JPEG file.
fn picture(row: usize) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
    bytes.extend((0..600).map(|at| ((at * 37 + row * 11) % 251) as u8));
    bytes
}

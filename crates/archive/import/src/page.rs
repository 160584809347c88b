//! Pages of an input. Their bodies are in a spool.

use std::io;
use std::sync::Arc;

use warc::{Capture, Origin, Revisit};

use crate::spool::{Body, Spool};

/// A row of the archive without its HTML, which is in the spool.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// The file of the page, if it is not the input.
    pub(crate) file: Option<Arc<str>>,
    pub(crate) fetched_at: i64,
    pub(crate) url: String,
    pub(crate) request_url: Option<String>,
    /// Only a list of pages has titles.
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) charset: Option<String>,
    /// One header per line.
    pub(crate) x_robots_tag: Option<String>,
    pub(crate) tdm_reservation: Option<String>,
    pub(crate) status: Option<i32>,
    /// Offset of the record, or row of the list.
    pub(crate) position: i64,
    /// Id of the record, or path of the file.
    pub(crate) name: Option<String>,
    pub(crate) payload_digest: String,
    pub(crate) body: Body,
    /// Known when all pages are.
    pub(crate) site_hash: Option<u64>,
}

/// A revisit of a capture in another input.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    pub(crate) origin: Origin,
    pub(crate) revisit: Revisit,
    /// The file of the revisit, if it is not the input.
    pub(crate) file: Option<Arc<str>>,
}

impl Page {
    /// Creates the page of a capture and puts its body into `spool`.
    pub(crate) fn new(capture: Capture, origin: Origin, spool: &mut Spool) -> io::Result<Self> {
        let body = spool.append(&capture.body)?;
        Ok(Self::with(capture, origin, body))
    }

    /// Creates the page of a revisit, which has the body of this page. Headers that the revisit does
    /// not repeat are those of this page.
    pub(crate) fn repeated(&self, revisit: Capture, origin: Origin) -> Self {
        let mut page = Self::with(revisit, origin, self.body);
        // "Not modified" is the status of the revisit, and not of its page.
        page.status = page.status.filter(|status| *status != 304).or(self.status);
        if page.content_type.is_none() {
            page.content_type.clone_from(&self.content_type);
            page.charset.clone_from(&self.charset);
        }
        page.x_robots_tag = page.x_robots_tag.or_else(|| self.x_robots_tag.clone());
        page.tdm_reservation = (page.tdm_reservation).or_else(|| self.tdm_reservation.clone());
        page
    }

    fn with(capture: Capture, origin: Origin, body: Body) -> Self {
        Self {
            file: None,
            fetched_at: capture.fetched_at,
            url: capture.url,
            request_url: capture.request_url,
            title: None,
            content_type: capture.content_type,
            charset: capture.charset,
            x_robots_tag: capture.x_robots_tag,
            tdm_reservation: capture.tdm_reservation,
            status: capture.status.map(i32::from),
            position: i64::try_from(origin.offset).unwrap_or(i64::MAX),
            name: origin.record_id,
            payload_digest: capture.payload_digest,
            body,
            site_hash: None,
        }
    }

    /// Bytes of the HTML.
    pub(crate) fn bytes(&self) -> usize {
        self.body.bytes()
    }
}

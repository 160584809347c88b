//! The job of a request between processes.

use datafusion::common::config::ConfigExtension;
use datafusion::common::extensions_options;

extensions_options! {
    /// The job of a plan. Each request between processes has it as a header.
    pub(crate) struct JobHeader {
        /// The text of `Job::to_document` in hexadecimal: headers are ASCII.
        pub document: String, default = String::new()
    }
}

impl ConfigExtension for JobHeader {
    const PREFIX: &'static str = "urltree";
}

impl JobHeader {
    /// Makes the header of a document.
    pub(crate) fn new(document: &str) -> Self {
        Self {
            document: hex::encode(document),
        }
    }

    /// Returns the document, or `None` if the header is missing or was not made by [`JobHeader::new`].
    pub(crate) fn text(&self) -> Option<String> {
        let bytes = hex::decode(&self.document).ok()?;
        String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_the_same_after_the_header() {
        let text = "{\"rules\": \"^http://\\tid\\n\", \"é\": 1}";
        let header = JobHeader::new(text);
        assert!(header.document.is_ascii());
        assert_eq!(header.text().as_deref(), Some(text));
        assert_eq!(JobHeader::default().text(), None);
    }
}

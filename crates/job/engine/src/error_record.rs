//! The error of a step as text, for the process that began the plan.
//!
//! datafusion-distributed sends the errors of DataFusion, and turns every other error into its
//! message. So a step of a worker turns an [`EngineError`] into an error of DataFusion whose message is
//! a record, and the driver finds the record in whatever was wrapped around it.

use datafusion::error::DataFusionError;
use serde::{Deserialize, Serialize};
use tables::{Classified, ErrorClass};

/// Begins and ends a record. No message has this character.
const MARK: char = '\u{1e}';

/// The part of a worker's error that a driver reports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ErrorRecord {
    pub(crate) class: ErrorClass,
    pub(crate) is_retryable: bool,
    /// The object that the error is about.
    pub(crate) object: Option<String>,
    pub(crate) message: String,
}

impl ErrorRecord {
    /// Makes the record of an error about `object`.
    pub(crate) fn new(error: &dyn Classified, object: Option<String>) -> Self {
        Self {
            class: error.class(),
            is_retryable: error.is_retryable(),
            object,
            message: error.to_string(),
        }
    }

    /// Returns the record as an error that crosses the network.
    pub(crate) fn into_error(self) -> DataFusionError {
        match serde_json::to_string(&self) {
            Ok(text) => DataFusionError::Execution(format!("{MARK}{text}{MARK}")),
            Err(_) => DataFusionError::Execution(self.message),
        }
    }

    /// Finds the record in an error that crossed the network.
    pub(crate) fn find(error: &DataFusionError) -> Option<Self> {
        serde_json::from_str(error.to_string().split(MARK).nth(1)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::EngineError;

    #[test]
    fn a_record_keeps_class_object_and_message_inside_other_errors() {
        let changed = EngineError::Changed {
            source_object: "a/b.parquet".to_owned(),
            change: "it has another size",
        };
        let message = changed.to_string();
        let record = ErrorRecord::new(&changed, Some("a/b.parquet".to_owned()));
        let sent = record.clone().into_error().context("Scan");
        // As the message arrives: every type but DataFusion's is a text.
        let text: Box<dyn std::error::Error + Send + Sync> = sent.to_string().into();
        let arrived = DataFusionError::Shared(Arc::new(DataFusionError::External(text)));
        let found = ErrorRecord::find(&arrived).unwrap();
        assert_eq!(found, record);
        assert_eq!(found.class, ErrorClass::Input);
        assert!(found.is_retryable);
        assert_eq!(found.message, message);
    }

    #[test]
    fn an_error_without_a_record_has_none() {
        let error = DataFusionError::Execution("out of range".to_owned());
        assert_eq!(ErrorRecord::find(&error), None);
    }
}

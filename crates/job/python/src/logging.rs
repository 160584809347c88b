//! Warnings of a run, which become records of Python's `logging`.
//!
//! The threads of a run have their own subscriber, so a run changes nothing for other code of the process. It sends what is
//! logged to the thread that looks at the run, which holds the lock of the interpreter now and then.

use std::fmt::{Debug, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Dispatch, Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The logger in Python.
const LOGGER: &str = "urltree";

/// What a run has logged.
pub(crate) struct Records(Receiver<Record>);

struct Record {
    level: Level,
    text: String,
}

/// Returns the subscriber of the threads of a run, and what they log: warnings and errors.
pub(crate) fn subscriber() -> (Dispatch, Records) {
    let (sender, records) = channel();
    let subscriber = tracing_subscriber::registry()
        .with(Sending(sender).with_filter(EnvFilter::new(urltree::WARNINGS)));
    (Dispatch::new(subscriber), Records(records))
}

impl Records {
    /// Hands what was logged since the last call to Python.
    ///
    /// # Errors
    /// The exception of a handler or filter.
    pub(crate) fn hand_over(&self, py: Python<'_>) -> PyResult<()> {
        for Record { level, text } in self.0.try_iter() {
            let logger = py.import("logging")?.call_method1("getLogger", (LOGGER,))?;
            let level = if level == Level::ERROR {
                "error"
            } else {
                "warning"
            };
            // Without arguments, logging does not look for % in the text.
            logger.call_method1(level, (text,))?;
        }
        Ok(())
    }
}

struct Sending(Sender<Record>);

impl<S: Subscriber> Layer<S> for Sending {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let level = *event.metadata().level();
        // The receiver is gone when the call has returned.
        let _ = self.0.send(Record {
            level,
            text: text.0,
        });
    }
}

/// The message of an event, and its other fields as `name=value`.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => {
                let rest = std::mem::take(&mut self.0);
                write!(self.0, "{value:?}{rest}")
            }
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

//! The events of a run, as a digest and as text.

use std::fmt::{self, Write as _};
use std::io::Write as _;

/// A digest of all lines, and the lines on stderr if they are printed.
#[derive(Debug)]
pub(crate) struct Trace {
    digest: u64,
    lines: u64,
    is_printed: bool,
}

impl Trace {
    pub(crate) fn new(is_printed: bool) -> Self {
        Self {
            digest: 0xcbf2_9ce4_8422_2325,
            lines: 0,
            is_printed,
        }
    }

    pub(crate) fn line(&mut self, micros: u64, process: &str, event: fmt::Arguments<'_>) {
        self.lines += 1;
        if self.is_printed {
            let seconds = micros as f64 / 1e6;
            let _ = writeln!(std::io::stderr(), "{seconds:10.6} {process:<12} {event}");
        }
        let _ = write!(self, "{micros} {process} {event}");
    }

    /// Returns a value that differs where an event differs.
    pub(crate) fn digest(&self) -> (u64, u64) {
        (self.lines, self.digest)
    }
}

impl fmt::Write for Trace {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

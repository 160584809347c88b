//! Shows the progress of a run: a bar on a terminal, log lines otherwise.

use std::fmt::{self, Display, Formatter};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::{Progress, RowsAndBytes, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tables::DateRange;
use tracing::{debug, info};

/// Time between two log lines. Shorter fills the logs of a long run; longer makes a
/// short run look stalled.
const LINE_EVERY: Duration = Duration::from_secs(10);

const BAR: &str = "{msg} [{bar:30}] {percent:>3} %  {line}{workers}";

/// Length of the bar. Reading is half of a run, labelling and writing the other half.
const BAR_LENGTH: u64 = 1000;

const IMPORT_BAR: &str =
    "[{bar:30}] {percent:>3} %  {decimal_bytes}  {decimal_bytes_per_sec}  {eta} left";

/// The destination of progress and log lines. A log line does not break the bar.
#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    bar: ProgressBar,
}

impl Terminal {
    /// Creates the terminal of stderr. The bar is shown only on a terminal, and not with
    /// `--quiet`.
    pub(crate) fn stderr(quiet: bool) -> Self {
        let bar = ProgressBar::hidden();
        if io::stderr().is_terminal() && !quiet {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Self { bar }
    }

    /// Starts to show a run.
    ///
    /// With `explain`, each plan is printed after it was executed.
    pub(crate) fn run(&self, explain: bool) -> Arc<RunProgress> {
        let bar = &self.bar;
        // A spinner until the amount of work is known.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        let progress = RunProgress {
            bar: bar.clone(),
            explain,
            line: Arc::new(Mutex::new(Line {
                last: Instant::now(),
                started: Instant::now(),
                read: RowsAndBytes::default(),
                written: 0,
                total: RowsAndBytes::default(),
                stage: String::new(),
            })),
            workers: Arc::default(),
        };
        Arc::new(progress)
    }
}

impl Terminal {
    /// Starts to show an import.
    pub(crate) fn import(&self) -> ImportProgress {
        ImportProgress {
            bar: self.bar.clone(),
            line: Mutex::new((Instant::now(), 0)),
        }
    }
}

/// The progress of an import, by bytes of its inputs.
#[derive(Debug)]
pub(crate) struct ImportProgress {
    bar: ProgressBar,
    /// Time of the last line, and bytes that were read.
    line: Mutex<(Instant, u64)>,
}

impl ImportProgress {
    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl import::Progress for ImportProgress {
    fn planned(&self, files: u64, bytes: u64) {
        info!("{files} files with {:.1} MB", megabytes(bytes));
        if let Ok(style) = ProgressStyle::with_template(IMPORT_BAR) {
            self.bar.set_style(style);
        }
        self.bar.set_length(bytes);
        self.bar.reset_elapsed();
        self.bar.reset_eta();
    }

    fn waits(&self, host: &str, seconds: u64) {
        info!("no request to {host} for {seconds} seconds");
    }

    fn read(&self, bytes: u64) {
        self.bar.inc(bytes);
        if let Ok(mut line) = self.line.lock() {
            line.1 += bytes;
            if self.bar.is_hidden() && line.0.elapsed() >= LINE_EVERY {
                line.0 = Instant::now();
                let total = self.bar.length().unwrap_or_default();
                info!("{:.1} of {:.1} MB", megabytes(line.1), megabytes(total));
            }
        }
    }
}

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bar.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// The progress of a run.
#[derive(Debug)]
pub(crate) struct RunProgress {
    bar: ProgressBar,
    explain: bool,
    workers: Arc<Workers>,
    line: Arc<Mutex<Line>>,
}

/// The progress of a run, as text.
#[derive(Debug)]
struct Line {
    started: Instant,
    last: Instant,
    read: RowsAndBytes,
    /// Rows that are labelled and written.
    written: u64,
    total: RowsAndBytes,
    /// The stage of the chunk, if its plan does not run.
    stage: String,
}

/// The end of a progress message: workers, and chunks that ran again. Empty without workers.
#[derive(Debug, Default)]
struct Workers {
    count: AtomicUsize,
    retries: AtomicUsize,
}

impl Display for Workers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.count.load(Ordering::Relaxed) {
            0 => return Ok(()),
            count => write!(f, ", {count} workers")?,
        }
        match self.retries.load(Ordering::Relaxed) {
            0 => Ok(()),
            1 => f.write_str(", 1 retry"),
            retries => write!(f, ", {retries} retries"),
        }
    }
}

impl RunProgress {
    /// Changes the line, and shows it if it was not shown for a while.
    fn advance(&self, change: impl FnOnce(&mut Line)) {
        let Ok(mut line) = self.line.lock() else {
            return;
        };
        change(&mut line);
        if self.bar.is_hidden() {
            if line.last.elapsed() >= LINE_EVERY {
                line.last = Instant::now();
                info!(
                    "{:.0} % {}{}",
                    100.0 * line.done(),
                    line.text(),
                    self.workers
                );
            }
            return;
        }
        let done = (line.done() * BAR_LENGTH as f64) as u64;
        // The bar draws the line, and waits for it.
        drop(line);
        self.bar.set_position(done);
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for RunProgress {
    fn executed(&self, dates: DateRange, plan: &dyn Display) {
        if self.explain {
            // The rest of the run matters more than an output that was closed.
            let _ = self
                .bar
                .suspend(|| writeln!(io::stdout(), "plan of {dates}:\n{plan}"));
        }
    }

    fn planned(&self, total: RowsAndBytes) {
        info!(
            "{} rows with {:.1} MB of HTML",
            total.rows,
            megabytes(total.html_bytes)
        );
        if let Ok(mut line) = self.line.lock() {
            line.started = Instant::now();
            line.total = total;
        }
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            let line = Arc::clone(&self.line);
            let line = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                if let Ok(line) = line.lock() {
                    let _ = out.write_str(&line.text());
                }
            };
            let workers = Arc::clone(&self.workers);
            let workers = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{workers}");
            };
            let style = style.with_key("line", line).with_key("workers", workers);
            self.bar.set_style(style);
        }
        self.bar.set_length(BAR_LENGTH);
    }

    fn report(&self, done: RowsAndBytes) {
        self.advance(|line| {
            line.read.rows += done.rows;
            line.read.html_bytes += done.html_bytes;
        });
    }

    fn written(&self, rows: u64) {
        self.advance(|line| line.written += rows);
    }

    fn entered(&self, stage: Stage, dates: DateRange) {
        debug!("{dates}: {stage}");
        self.advance(|line| {
            line.stage = match stage {
                Stage::Plan(_) => String::new(),
                stage => stage.to_string(),
            };
        });
        self.bar.set_message(dates.to_string());
    }

    fn processes(&self, count: usize) {
        self.workers.count.store(count, Ordering::Relaxed);
    }

    fn retried(&self, count: usize) {
        self.processes(count);
        self.workers.retries.fetch_add(1, Ordering::Relaxed);
    }
}

impl Line {
    /// The share of the run that is done. Reading ends before labelling and writing do, so each counts by itself.
    fn done(&self) -> f64 {
        let share = |done: u64, total: u64| (done as f64 / total.max(1) as f64).min(1.0);
        let read = share(self.read.html_bytes, self.total.html_bytes);
        f64::midpoint(read, share(self.written, self.total.rows))
    }

    fn stage(&self) -> &str {
        match self.stage.as_str() {
            "" if self.read.rows < self.total.rows => "read",
            "" if self.written == 0 => "label",
            "" => "write",
            stage => stage,
        }
    }

    fn text(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        let done = self.done();
        let left = match done {
            0.0 => String::new(),
            // A run is done when its line is gone.
            done => format!(", {:.0} s left", (seconds * (1.0 - done) / done).max(1.0)),
        };
        format!(
            "{}: {} of {} rows read, {} written, {:.1} MB/s{left}",
            self.stage(),
            self.read.rows.min(self.total.rows),
            self.total.rows,
            self.written.min(self.total.rows),
            self.read.html_bytes as f64 / 1e6 / seconds,
        )
    }
}

/// Converts bytes to decimal megabytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(read: u64, written: u64, stage: &str) -> String {
        let started = Instant::now().checked_sub(Duration::from_secs(10));
        let of = |rows| RowsAndBytes {
            rows,
            html_bytes: rows * 1_000_000,
        };
        let line = Line {
            started: started.expect("a clock that is not new"),
            last: Instant::now(),
            read: of(read),
            written,
            total: of(100),
            stage: stage.to_owned(),
        };
        format!("{:.0} % {}", 100.0 * line.done(), line.text())
    }

    #[test]
    fn a_line_names_the_stage_and_the_time_of_all_stages() {
        assert_eq!(
            line(0, 0, "census"),
            "0 % census: 0 of 100 rows read, 0 written, 0.0 MB/s"
        );
        let expected = "25 % read: 50 of 100 rows read, 0 written, 5.0 MB/s, 30 s left";
        assert_eq!(line(50, 0, ""), expected);
        let expected = "50 % label: 100 of 100 rows read, 0 written, 10.0 MB/s, 10 s left";
        assert_eq!(line(100, 0, ""), expected);
        let expected = "90 % write: 100 of 100 rows read, 80 written, 10.0 MB/s, 1 s left";
        assert_eq!(line(100, 80, ""), expected);
        // Nothing says that no time is left.
        assert!(line(100, 100, "commit").ends_with("1 s left"));
    }
}

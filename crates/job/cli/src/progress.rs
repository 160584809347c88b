//! Shows the progress of a run: a bar on a terminal, log lines otherwise.

use std::fmt::{self, Display, Formatter};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::{Progress, RowsAndBytes, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tables::DateRange;
use tracing::{debug, info};

/// Time between two log lines. Shorter fills the logs of a long run; longer makes a
/// short run look stalled.
const LINE_EVERY: Duration = Duration::from_secs(10);

const BAR: &str =
    "{msg} [{bar:30}] {percent:>3} %  {rows} rows  {decimal_bytes_per_sec}  {eta} left{workers}";

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
            rows: Arc::default(),
            line: Mutex::new(Line {
                last: Instant::now(),
                started: Instant::now(),
                bytes: 0,
                total: RowsAndBytes::default(),
            }),
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
    rows: Arc<AtomicU64>,
    workers: Arc<Workers>,
    line: Mutex<Line>,
}

#[derive(Debug)]
struct Line {
    started: Instant,
    last: Instant,
    bytes: u64,
    total: RowsAndBytes,
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
        let rows = Arc::clone(&self.rows);
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            let rows = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{}", rows.load(Ordering::Relaxed));
            };
            let workers = Arc::clone(&self.workers);
            let workers = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{workers}");
            };
            let style = style.with_key("rows", rows).with_key("workers", workers);
            self.bar.set_style(style);
        }
        self.bar.set_length(total.html_bytes);
        self.bar.reset_elapsed();
        self.bar.reset_eta();
    }

    fn report(&self, done: RowsAndBytes) {
        let rows = self.rows.fetch_add(done.rows, Ordering::Relaxed) + done.rows;
        self.bar.inc(done.html_bytes);
        if let Ok(mut line) = self.line.lock() {
            line.bytes += done.html_bytes;
            if self.bar.is_hidden() && line.last.elapsed() >= LINE_EVERY {
                line.last = Instant::now();
                info!("{}{}", line.text(rows), self.workers);
            }
        }
    }

    fn entered(&self, stage: Stage, dates: DateRange) {
        debug!("{dates}: {stage}");
        self.bar.set_message(format!("{dates} {stage}"));
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
    fn text(&self, rows: u64) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        let (done, total) = (self.bytes as f64, self.total.html_bytes.max(1) as f64);
        let left = seconds * (total - done).max(0.0) / done.max(1.0);
        format!(
            "{:.0} %: {rows} of {} rows, {:.1} MB/s, {left:.0} s left",
            100.0 * (done / total).min(1.0),
            self.total.rows,
            done / 1e6 / seconds,
        )
    }
}

/// Converts bytes to decimal megabytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

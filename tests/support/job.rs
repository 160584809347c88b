//! A job in a temporary folder, and the binary that runs it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use engine::{JobSpec, PaperSpec};
use serde_json::Value;
use tempfile::TempDir;

use super::watched::{Watched, watched};
use super::{Row, queries, repository, skip, write};

const DEFAULTS: &str = "\
[archive]
location = 'archive'
[output]
location = 'tables'
";

/// A folder with a job file, an archive, and the tables that runs write.
pub(crate) struct Job {
    folder: TempDir,
    /// Working directory of the binary. `file` is relative to it.
    started_in: PathBuf,
    file: &'static str,
    overrides: Vec<String>,
    variables: Vec<(&'static str, String)>,
    tables: PathBuf,
}

/// Exit status and output of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    /// The signal that killed it, if any.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Job {
    /// A job with an empty archive.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the job");
        std::fs::create_dir(folder.path().join("archive")).expect("a folder for the archive");
        std::fs::write(folder.path().join("job.toml"), DEFAULTS).expect("a job file");
        Self {
            started_in: folder.path().to_owned(),
            tables: folder.path().join("tables"),
            folder,
            file: "job.toml",
            overrides: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The job with a job file of the repository, started there. Its tables are in the job's
    /// folder.
    pub(crate) fn of_the_repository(self, file: &'static str) -> Self {
        let tables = format!("output.location={}", self.path("tables").display());
        let job = Self {
            started_in: repository(),
            file,
            ..self
        };
        job.with(&tables)
    }

    /// A job whose archive is the file `pages.parquet` with these rows.
    pub(crate) fn of(rows: &[Row]) -> Self {
        let job = Self::new();
        write(&job.archive("pages.parquet"), rows);
        job
    }

    /// The job with `KEY=VALUE` overridden.
    pub(crate) fn with(mut self, setting: &str) -> Self {
        self.set(setting);
        self
    }

    /// Overrides `KEY=VALUE` from now on.
    pub(crate) fn set(&mut self, setting: &str) {
        self.overrides.push(setting.to_owned());
        self.overrides = PaperSpec::beside_template(std::mem::take(&mut self.overrides));
    }

    /// The job with the archive at another location.
    pub(crate) fn reading(self, archive: &Path) -> Self {
        self.with(&format!("archive.location={}", archive.display()))
    }

    /// The job with its tables at `location`; their files are in `folder` on this machine.
    pub(crate) fn writing(mut self, location: &str, folder: PathBuf) -> Self {
        self.tables = folder;
        self.with(&format!("output.location={location}"))
    }

    /// The job with an environment variable set.
    pub(crate) fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// The folder that contains the tables.
    pub(crate) fn tables(&self) -> &Path {
        &self.tables
    }

    /// Path of a file in the archive's folder.
    pub(crate) fn archive(&self, file: &str) -> PathBuf {
        self.path("archive").join(file)
    }

    /// Path of a file in the job's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether any table exists.
    pub(crate) fn has_tables(&self) -> bool {
        self.tables.exists()
    }

    /// Runs the dates, which must succeed, and checks the row accounting.
    pub(crate) fn backfill(&self, dates: &str) -> Finished {
        let finished = self.run(dates);
        self.assert_accounts();
        finished
    }

    /// Runs the dates, which must succeed.
    pub(crate) fn run(&self, dates: &str) -> Finished {
        let finished = self.try_run(dates);
        assert_eq!(finished.code, Some(0), "{dates}: {}", finished.stderr);
        finished
    }

    /// Runs the dates with `--allow-missing`, which must succeed, and checks the row accounting.
    pub(crate) fn backfill_with_losses(&self, dates: &str) -> Finished {
        let finished = self.command("backfill", &["--dates", dates, "--allow-missing"]);
        assert_eq!(finished.code, Some(0), "{dates}: {}", finished.stderr);
        self.assert_accounts();
        finished
    }

    /// Runs the dates, which must fail with this exit code. Returns stderr.
    pub(crate) fn refused(&self, dates: &str, code: i32) -> String {
        let finished = self.try_run(dates);
        assert_eq!(finished.code, Some(code), "{dates}: {finished:?}");
        finished.stderr
    }

    fn try_run(&self, dates: &str) -> Finished {
        self.command("backfill", &["--dates", dates])
    }

    /// The rows of a query, one JSON object each, without nulls.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Value> {
        let row = |line: &str| serde_json::from_str(line).expect("a JSON object per line");
        self.lines(sql).iter().map(|line| row(line)).collect()
    }

    /// The only row of a query.
    pub(crate) fn row(&self, sql: &str) -> Value {
        let mut rows = self.rows(sql);
        assert_eq!(rows.len(), 1, "{sql}: {rows:?}");
        rows.remove(0)
    }

    /// The rows of a query as lines of JSON text, read in this process. With variables, which may
    /// be credentials, the binary reads them.
    pub(crate) fn lines(&self, sql: &str) -> Vec<String> {
        if !self.variables.is_empty() {
            return self.lines_with(&[], sql);
        }
        queries::lines(self.opened(), sql)
    }

    /// The job that the binary opens in the folder where it is started.
    fn opened(&self) -> engine::Job {
        let file = self.started_in.join(self.file);
        let mut spec = JobSpec::read(&file, &self.overrides).expect("a job file");
        for location in [&mut spec.archive.location, &mut spec.output.location] {
            if !location.contains("://") {
                *location = self.started_in.join(&location).display().to_string();
            }
        }
        let files = [
            &mut spec.url_key.rules,
            &mut spec.url_key.blocklist,
            &mut spec.robots.rules,
            &mut spec.tree.paths,
        ];
        for file in files.into_iter().flatten() {
            let path = self.started_in.join(&file);
            if path.exists() {
                *file = path.display().to_string();
            }
        }
        engine::Job::new(&spec).expect("a job")
    }

    /// The rows of a query as lines of JSON text, with more arguments for `urltree sql`.
    pub(crate) fn lines_with(&self, arguments: &[&str], sql: &str) -> Vec<String> {
        let printed = self.sql_with(&[arguments, &["--format", "json"]].concat(), sql);
        (printed.lines().filter(|line| !line.is_empty()))
            .map(str::to_owned)
            .collect()
    }

    /// The result of a query as `urltree sql` prints it.
    pub(crate) fn sql(&self, format: &str, sql: &str) -> String {
        self.sql_with(&["--format", format], sql)
    }

    fn sql_with(&self, arguments: &[&str], sql: &str) -> String {
        let finished = self.command("sql", &[arguments, &[sql]].concat());
        assert_eq!(finished.code, Some(0), "{sql}: {}", finished.stderr);
        finished.stdout
    }

    /// Runs the dates and measures memory. The run may fail.
    pub(crate) fn watched(&self, dates: &str) -> Watched {
        self.watched_with(&[], dates)
    }

    /// Runs the dates with more settings and measures memory. The run may fail.
    pub(crate) fn watched_with(&self, settings: &[&str], dates: &str) -> Watched {
        let mut arguments = vec!["--dates", dates];
        for setting in settings {
            arguments.extend(["--set", setting]);
        }
        self.watched_command("backfill", &arguments)
    }

    /// Runs `urltree <subcommand>` with the job and measures memory.
    pub(crate) fn watched_command(&self, subcommand: &str, arguments: &[&str]) -> Watched {
        watched(&mut self.started(subcommand, arguments))
    }

    /// Runs `urltree <subcommand>` with the job.
    pub(crate) fn command(&self, subcommand: &str, arguments: &[&str]) -> Finished {
        finished(&mut self.started(subcommand, arguments))
    }

    /// Runs `urltree <subcommand>` with the job as the last arguments of another program.
    pub(crate) fn command_in(
        &self,
        wrapper: &[impl AsRef<OsStr>],
        subcommand: &str,
        arguments: &[&str],
    ) -> Finished {
        finished(&mut wrapped(&self.started(subcommand, arguments), wrapper))
    }

    /// Starts `urltree <subcommand>` with the job. With a fail point such as
    /// `KILL@commit.documents#1` it is killed or halts there.
    pub(crate) fn start(
        &self,
        subcommand: &str,
        arguments: &[&str],
        fail_point: Option<&str>,
    ) -> Child {
        let mut command = self.started(subcommand, arguments);
        command.envs(fail_point.map(|point| ("URLTREE_FAIL_POINT", point)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command.spawn().expect("the binary can be started")
    }

    /// Runs `urltree <subcommand>` with the job and `out` as its standard output.
    pub(crate) fn command_into(
        &self,
        subcommand: &str,
        arguments: &[&str],
        out: std::fs::File,
    ) -> Finished {
        let mut command = self.started(subcommand, arguments);
        command.stdout(out).stderr(Stdio::piped());
        Finished::wait(command.spawn().expect("the binary can be started"))
    }

    /// Runs `urltree <subcommand>` with the job and a terminal as its standard output. Returns
    /// `None` if the program `script`, which makes the terminal, is missing. Lines on the
    /// terminal end with `\r\n`.
    pub(crate) fn command_on_terminal(
        &self,
        subcommand: &str,
        arguments: &[&str],
    ) -> Option<Finished> {
        let command = self.started(subcommand, arguments);
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let words = shlex::try_join(words.iter().map(AsRef::as_ref)).expect("words of a shell");
        let stderr = self.path("stderr");
        let line = format!("{words} 2>{}", stderr.display());
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        script.current_dir(&self.started_in).stdin(Stdio::null());
        let mut finished = Finished::of(script.output().ok()?);
        finished.stderr = std::fs::read_to_string(stderr).expect("standard error");
        Some(finished)
    }

    fn started(&self, subcommand: &str, arguments: &[&str]) -> Command {
        // `rules learn` is a command in a group, and takes its options after both names.
        let (names, arguments) = match (subcommand, arguments.split_first()) {
            ("rules", Some((name, rest))) => (vec![subcommand, *name], rest),
            _ => (vec![subcommand], arguments),
        };
        let mut words = [names, vec!["--job", self.file]].concat();
        for setting in &self.overrides {
            words.extend(["--set", setting]);
        }
        let mut command = command_in(&self.started_in, "urltree", &[&words, arguments].concat());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `urltree` with these arguments, in the working directory of the job.
    pub(crate) fn type_in(&self, words: &[String]) -> Finished {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        urltree_in(&self.started_in, &words)
    }

    /// The command `urltree` with these arguments, in the working directory of the job.
    pub(crate) fn urltree(&self, arguments: &[&str]) -> Command {
        command_in(&self.started_in, "urltree", arguments)
    }

    /// Asserts that every archive row is in exactly one count of `runs`, and that the
    /// tables have as many rows as were counted.
    pub(crate) fn assert_accounts(&self) {
        let counted = self.rows(
            "SELECT date, archive_rows, unique_pages, duplicates, revisions, blocklisted, \
             quarantined, unreadable_objects FROM runs",
        );
        let written = self.rows(
            "SELECT date, status, count(*) AS rows FROM url_keys \
             WHERE status <> 'quarantined' GROUP BY date, status \
             UNION ALL SELECT date, 'document ' || status, count(*) FROM documents \
             GROUP BY date, status \
             UNION ALL SELECT date, 'quarantined', count(*) FROM quarantine \
             WHERE row IS NOT NULL GROUP BY date \
             UNION ALL SELECT date, 'unreadable', count(*) FROM quarantine \
             WHERE row IS NULL GROUP BY date",
        );
        let mut tables: BTreeMap<(String, String), i64> = written
            .iter()
            .map(|row| {
                (
                    (text(row, "date"), text(row, "status")),
                    number(row, "rows"),
                )
            })
            .collect();
        for run in &counted {
            let statuses = [
                ("unique_pages", "unique"),
                ("duplicates", "duplicate"),
                ("revisions", "revision"),
                ("blocklisted", "blocklisted"),
                ("quarantined", "quarantined"),
            ];
            let sum: i64 = (statuses.iter())
                .map(|(column, _)| number(run, column))
                .sum();
            assert_eq!(number(run, "archive_rows"), sum, "{run}");
            let documents = [
                ("unique_pages", "document unique"),
                ("revisions", "document revision"),
                ("unreadable_objects", "unreadable"),
            ];
            for (column, status) in statuses.into_iter().chain(documents) {
                let key = (text(run, "date"), status.to_owned());
                let rows = tables.remove(&key).unwrap_or(0);
                assert_eq!(number(run, column), rows, "{column} of {run}");
            }
        }
        assert!(tables.is_empty(), "rows that no run counted: {tables:?}");
    }
}

/// Runs `urltree` without a job.
pub(crate) fn urltree(arguments: &[&str]) -> Finished {
    urltree_in(&repository(), arguments)
}

/// Runs `urltree` without a job, in `folder`.
pub(crate) fn urltree_in(folder: &Path, arguments: &[&str]) -> Finished {
    run_in(folder, "urltree", arguments)
}

/// Runs `urltree`, `urltree-lab` or `urltree-sample` in `folder`.
pub(crate) fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Finished {
    finished(&mut command_in(folder, program, arguments))
}

/// The command `urltree` without a job.
pub(crate) fn urltree_command(arguments: &[&str]) -> Command {
    command_in(&repository(), "urltree", arguments)
}

/// The command as the last arguments of another program.
pub(crate) fn wrapped(command: &Command, wrapper: &[impl AsRef<OsStr>]) -> Command {
    let mut outer = Command::new(&wrapper[0]);
    outer.args(&wrapper[1..]);
    outer.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

/// The start of a command that mounts a small file system at `folder` for the rest of it, in a mount
/// namespace. `None` where that is not allowed, and the test is skipped.
pub(crate) fn small_disk(folder: &Path, options: &str) -> Option<Vec<String>> {
    let mount = format!("mount -t tmpfs -o {options} tmpfs \"$0\"");
    let mut allowed = Command::new("unshare");
    let allowed = allowed.args(["-rm", "sh", "-c", &mount]).arg(folder);
    if !allowed.output().is_ok_and(|output| output.status.success()) {
        skip("`unshare -rm` with a tmpfs");
        return None;
    }
    let script = format!("{mount} && exec \"$@\"");
    let folder = folder.display().to_string();
    let wrapper = ["unshare", "-rm", "sh", "-c", &script, &folder];
    Some(wrapper.map(str::to_owned).to_vec())
}

/// A program of the build. Cargo names those of the package that a test is of; the others are beside it.
pub(super) const PROGRAM: &str = match (
    option_env!("CARGO_BIN_EXE_urltree"),
    option_env!("CARGO_BIN_EXE_urltree-lab"),
) {
    (Some(program), _) | (None, Some(program)) => program,
    (None, None) => panic!("a test of urltree or of urltree-lab"),
};

/// The path of a program of the build.
pub(crate) fn program(name: &str) -> PathBuf {
    let program = Path::new(PROGRAM).with_file_name(name);
    assert!(
        program.exists(),
        "{} is not built: cargo build --workspace",
        program.display()
    );
    program
}

/// A program, without the environment variables that configure stores, logs and fail points: a test sets
/// its own.
fn command_in(folder: &Path, name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program(name));
    command.args(arguments).current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let decides = |own: &&str| name.starts_with(*own);
        if [
            "AWS_",
            "AZURE_",
            "GOOGLE_",
            "URLTREE_LOG",
            "URLTREE_FAIL_POINT",
        ]
        .iter()
        .any(decides)
        {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs a command to its end.
pub(crate) fn finished(command: &mut Command) -> Finished {
    Finished::of(command.output().expect("the binary can be started"))
}

impl Finished {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8(output.stdout).expect("the binary prints UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("the binary says UTF-8"),
        }
    }

    /// Waits for a command that was started.
    pub(crate) fn wait(child: Child) -> Self {
        Self::of(child.wait_with_output().expect("a child to wait for"))
    }
}

/// Sends a signal such as `INT` to a process.
pub(crate) fn signal(child: &Child, signal: &str) {
    let kill = [
        "-c",
        "kill -s \"$0\" \"$1\"",
        signal,
        &child.id().to_string(),
    ];
    let status = Command::new("sh").args(kill).status();
    assert!(status.expect("a shell").success(), "{signal}");
}

/// A column of a row as text.
pub(crate) fn text(row: &Value, column: &str) -> String {
    match &row[column] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn number(row: &Value, column: &str) -> i64 {
    row[column]
        .as_i64()
        .unwrap_or_else(|| panic!("no {column} in {row}"))
}

//! The command `init`: a job file with every key and its default.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::print::print;
use crate::usage::Usage;

/// The default job, with every key and what it does.
const DEFAULT_JOB: &str = include_str!("../../../../jobs/backfill.toml");

/// Keys of the default job that name files which only a clone has.
const FILES: [&str; 3] = ["rules = \"rules/", "blocklist = ", "paths = "];

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// The file to write. A file that is there is not replaced.
    #[arg(default_value = "urltree.toml", value_name = "FILE")]
    file: PathBuf,
    /// Parquet or WARC file, or a folder of such files, as a path relative to FILE or a URL.
    #[arg(long, value_name = "ARCHIVE", default_value = "pages")]
    archive: String,
    /// Folder of the tables, as a path relative to FILE or a URL.
    #[arg(long, value_name = "DIR", default_value = "texts")]
    output: String,
}

/// Writes the job.
pub(crate) fn init(args: &InitArgs) -> Result<()> {
    let file = args.file.display();
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.file);
    let mut opened = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Usage::of(format!("{file} is there already; give another name")).into());
        }
        opened => opened.with_context(|| format!("cannot write {file}"))?,
    };
    let written = opened.write_all(job(&args.archive, &args.output).as_bytes());
    written.with_context(|| format!("cannot write {file}"))?;
    print(&format!(
        "written: {file}\nnext: urltree update --job {file}"
    ))
}

/// Returns the default job for these locations.
fn job(archive: &str, output: &str) -> String {
    let mut locations = [archive, output].into_iter();
    let mut lines = vec![
        "# A job with every key and its default. Override a key with --set KEY=VALUE. Paths are relative to this file."
            .to_owned(),
    ];
    for line in DEFAULT_JOB.lines().skip_while(|line| line.starts_with('#')) {
        lines.push(
            match line
                .strip_prefix("location = ")
                .and_then(|_| locations.next())
            {
                // A string of JSON is one of TOML.
                Some(location) => format!("location = {}", Value::from(location)),
                None if FILES.iter().any(|key| line.starts_with(key)) => format!("# {line}"),
                None => line.to_owned(),
            },
        );
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{JobSpec, Settings};

    #[test]
    fn the_job_has_the_defaults_and_its_locations() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("urltree.toml");
        std::fs::write(&file, job("s3://crawl/\"pages\"", "texts")).unwrap();
        let spec = JobSpec::read(&file, &[]).unwrap();
        let texts = folder.path().join("texts").display().to_string();
        let default = JobSpec::new("s3://crawl/\"pages\"", texts);
        assert_eq!(spec.archive.location, default.archive.location);
        assert_eq!(spec.output.location, default.output.location);
        let digest = |spec| Settings::new(spec).unwrap().digest;
        assert_eq!(digest(&spec), digest(&default));
    }
}

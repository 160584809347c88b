//! The examples of the help of a command.

use std::path::Path;

use super::{repository, run_in};

/// Runs the examples of `program`'s help in `folder`, command by command. Those that `is_read` chooses are
/// parsed but not run: examples with a remote store, or of a server, which does not end. Returns the number of
/// examples that ran and that were read.
pub(crate) fn type_examples(
    folder: &Path,
    program: &str,
    commands: &[&str],
    is_read: impl Fn(&str) -> bool,
) -> (usize, usize) {
    let (mut ran, mut read) = (0, 0);
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = run_in(folder, program, &words).stdout;
        let (_, examples) = help.split_once("Examples:").expect("examples");
        let examples = examples.replace("\\\n", " ");
        let lines = examples.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty()) {
            let mut words = shlex::split(line).expect("words of a shell");
            assert_eq!(words.remove(0), program, "{line}");
            if is_read(line) {
                // With --help at the end, all arguments before it are still parsed.
                words.push("--help".to_owned());
                read += 1;
            } else {
                ran += 1;
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let finished = run_in(folder, program, &words);
            assert_eq!(finished.code, Some(0), "{line}: {}", finished.stderr);
            let file = words.iter().skip_while(|word| **word != "--output").nth(1);
            let is_written = file.is_some_and(|file| folder.join(file).exists());
            assert!(!finished.stdout.is_empty() || is_written, "{line}");
        }
    }
    (ran, read)
}

/// Copies the jobs of the repository, which examples name, into `folder`.
pub(crate) fn copy_jobs(folder: &Path) {
    std::fs::create_dir_all(folder.join("jobs/rules")).expect("folders");
    for file in [
        "backfill.toml",
        "nightly.toml",
        "rules/url-keys.tsv",
        "rules/blocklist.txt",
        "rules/paths.tsv",
    ] {
        let copied = std::fs::copy(
            repository().join("jobs").join(file),
            folder.join("jobs").join(file),
        );
        copied.expect("a job file");
    }
}

/// Writes files of text below `folder`.
pub(crate) fn write_texts(folder: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = folder.join(file);
        let above = path.parent().expect("a folder");
        std::fs::create_dir_all(above).expect("folders");
        std::fs::write(path, text).expect("a file");
    }
}

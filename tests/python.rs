//! The Python packages: the wheels in clean environments, with their types, their documentation and datatrove.
//!
//! `URLTREE_WHEEL` names the wheel without the job, which `make wheel` builds beside the one with it; without it these
//! tests are skipped.
//! The tests in `python/` are written in Python.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{program, python, repository, skip};

/// The wheel, or `None`: the test is skipped.
fn wheel() -> Option<PathBuf> {
    let Some(wheel) = std::env::var_os("URLTREE_WHEEL").map(PathBuf::from) else {
        skip("wheel (URLTREE_WHEEL)");
        return None;
    };
    assert!(
        wheel.is_file(),
        "URLTREE_WHEEL: no file {}",
        wheel.display()
    );
    Some(wheel)
}

/// The wheel of the job, beside that without it.
fn job_beside(wheel: &Path) -> PathBuf {
    let folder = wheel.parent().expect("the folder of the wheel");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    let is_job = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("urltree_text_job-") && name.ends_with(".whl")
    };
    let job = paths.find(is_job);
    job.unwrap_or_else(|| panic!("no wheel of the job in {}", folder.display()))
}

/// Runs a command that must succeed, and returns what it has written.
fn run(command: &mut Command) -> String {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(done.status.success(), "{command:?}\n{stdout}\n{stderr}");
    format!("{stdout}{stderr}")
}

/// An interpreter that sees no packages but those of its environment, and the program that writes the sample.
fn interpreter(python: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .current_dir(repository().join("tests/python"))
        .env_remove("PYTHONPATH")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("URLTREE_SAMPLE", program("urltree-sample"));
    command
}

/// Interpreters from 3.10 on, by minor version.
fn interpreters() -> BTreeMap<u32, PathBuf> {
    let mut candidates: Vec<PathBuf> = vec!["python3".into()];
    candidates.extend((10..20).map(|minor| PathBuf::from(format!("python3.{minor}"))));
    if let Some(root) = std::env::var_os("PYENV_ROOT")
        && let Ok(versions) = std::fs::read_dir(Path::new(&root).join("versions"))
    {
        let versions = versions.filter_map(Result::ok);
        candidates.extend(versions.map(|version| version.path().join("bin/python3")));
    }
    let mut found = BTreeMap::new();
    for candidate in candidates {
        let probe = "import ensurepip, sys, venv; print(*sys.version_info[:2])";
        let Ok(probe) = Command::new(&candidate).args(["-c", probe]).output() else {
            continue;
        };
        let version = String::from_utf8_lossy(&probe.stdout).trim().to_owned();
        if let Some(("3", minor)) = version.split_once(' ')
            && let Ok(minor @ 10..) = minor.parse()
        {
            found.entry(minor).or_insert(candidate);
        }
    }
    found
}

/// A clean environment of an interpreter, with wheels.
fn environment(python: &Path, wheels: &[&Path]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    run(interpreter(python).args(["-m", "venv"]).arg(folder.path()));
    let inside = folder.path().join("bin/python");
    let install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
    run(interpreter(&inside).args(install).args(wheels));
    (folder, inside)
}

/// A folder with the package, beside the packages of `python`.
fn beside(python: &str, wheel: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
    ];
    run(interpreter(Path::new(python))
        .args(install)
        .arg(folder.path())
        .args([wheel, &job_beside(wheel)]));
    folder
}

#[test]
fn without_the_job_a_wheel_has_pages_and_sites_and_names_the_wheel_of_the_job() {
    let Some(wheel) = wheel() else { return };
    let Some(python) = interpreters().into_values().next_back() else {
        return skip("Python from 3.10 on");
    };
    let (_folder, inside) = environment(&python, &[&wheel]);
    let said = run(interpreter(&inside).args([
        "-m",
        "unittest",
        "test_extract",
        "test_pickle",
        "test_alone",
    ]));
    assert!(said.contains("\nOK"), "{said}");
}

#[test]
fn one_wheel_works_in_clean_environments_of_two_versions_of_python() {
    let Some(wheel) = wheel() else { return };
    let found = interpreters();
    let (first, last) = (found.first_key_value(), found.last_key_value());
    let mut chosen: Vec<&PathBuf> = first
        .into_iter()
        .chain(last)
        .map(|(_, path)| path)
        .collect();
    chosen.dedup();
    if chosen.len() < 2 {
        skip("second version of Python from 3.10 on, for the same wheel");
    }
    assert!(!chosen.is_empty(), "no Python from 3.10 on");
    for python in chosen {
        let (_folder, inside) = environment(python, &[&wheel, &job_beside(&wheel)]);
        let said = run(interpreter(&inside).args([
            "-m",
            "unittest",
            "test_extract",
            "test_pickle",
            "test_site",
        ]));
        assert!(said.contains("\nOK"), "{}: {said}", python.display());
        let example = repository().join("crates/job/python/examples/tea_house.py");
        run(interpreter(&inside).arg(example));
    }
}

#[test]
fn the_documentation_of_the_package_has_the_output_that_it_shows() {
    let Some(wheel) = wheel() else { return };
    let Some(python) = interpreters().into_values().next_back() else {
        return skip("Python from 3.10 on");
    };
    let (_folder, inside) = environment(&python, &[&wheel, &job_beside(&wheel)]);
    let page = repository().join("docs/python.md");
    let said = run(interpreter(&inside).arg("type_in.py").arg(page));
    assert!(said.contains("outputs compared"), "{said}");
}

#[test]
fn the_package_and_its_example_are_typed() {
    let Some(wheel) = wheel() else { return };
    let Some(python) = python("mypy") else { return };
    let package = beside(&python, &wheel);
    let example = repository().join("crates/job/python/examples");
    let mut mypy = interpreter(Path::new(&python));
    mypy.args([
        "-m",
        "mypy",
        "--strict",
        "--cache-dir=/dev/null",
        "--python-version=3.10",
    ])
    .arg(example.join("tea_house.py"))
    .args(["test_extract.py", "test_pickle.py", "test_site.py"])
    .env("MYPYPATH", package.path());
    run(&mut mypy);
    let mut stubs = interpreter(Path::new(&python));
    stubs
        .args([
            "-m",
            "mypy.stubtest",
            "urltree._native",
            "--ignore-missing-stub",
        ])
        .env("PYTHONPATH", package.path())
        .env("MYPYPATH", package.path());
    run(&mut stubs);
}

#[test]
fn the_extractor_step_runs_in_datatrove() {
    let Some(wheel) = wheel() else { return };
    let Some(python) = python("datatrove") else {
        return;
    };
    let package = beside(&python, &wheel);
    let examples = repository().join("crates/job/python/examples");
    let paths = std::env::join_paths([package.path(), &examples]).expect("paths without colons");
    let mut test = interpreter(Path::new(&python));
    test.args(["-m", "unittest", "test_step"])
        .env("PYTHONPATH", paths);
    let said = run(&mut test);
    assert!(said.contains("\nOK"), "{said}");
}

#[test]
fn a_site_in_python_gives_the_texts_of_the_tables_for_the_sample() {
    let Some(wheel) = wheel() else { return };
    let Some(python) = python("pyarrow") else {
        return;
    };
    let package = beside(&python, &wheel);
    let mut test = interpreter(Path::new(&python));
    test.args(["-m", "unittest", "test_sample"])
        .env("PYTHONPATH", package.path());
    let said = run(&mut test);
    assert!(said.contains("\nOK"), "{said}");
}

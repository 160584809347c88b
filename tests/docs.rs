//! The commands of the documentation: those that `tests/readme.sh` does not type, because they name a store,
//! other machines or files of the reader, have at least options and make targets that exist.

use std::path::PathBuf;

use crate::support::{repository, run_in};

/// Returns README.md and the pages of docs/, in order.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(repository().join("docs")).expect("docs");
    let mut pages: Vec<PathBuf> = docs.map(|file| file.expect("a file").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.push(repository().join("README.md"));
    pages.sort();
    pages
}

/// Returns the commands of the blocks of `sh`, split into words.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for block in page.split("\n```sh\n").skip(1) {
        let (block, _) = block.split_once("\n```").expect("an end of the block");
        let mut command = String::new();
        for line in block.replace("\\\n", " ").lines() {
            command += line;
            // The quoted text continues on the next line.
            let Some(words) = shlex::split(&command) else {
                command.push('\n');
                continue;
            };
            command.clear();
            commands.push(words.into_iter().take_while(|word| !is_end(word)).collect());
        }
    }
    commands
}

/// Whether a word ends the arguments of a command.
fn is_end(word: &str) -> bool {
    matches!(word, "|" | ">" | "<" | "<<" | "&" | "&&")
}

/// Whether the Makefile has a target.
fn is_target(makefile: &str, word: &str) -> bool {
    let rule = format!("{word}:");
    makefile.lines().any(|line| line.starts_with(&rule))
}

#[test]
fn commands_of_the_documents_have_options_and_targets_that_exist() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).expect("a Makefile");
    let (mut parsed, mut made) = (0, 0);
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for command in commands(&text) {
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let said = format!("{}: {}", page.display(), command.join(" "));
            match words.split_first() {
                Some((program @ &("urltree" | "urltree-lab" | "urltree-sample"), arguments)) => {
                    // With --help at the end, all arguments before it are still parsed.
                    let arguments = [arguments, &["--help"]].concat();
                    let finished = run_in(&repository(), program, &arguments);
                    assert_eq!(finished.code, Some(0), "{said}: {}", finished.stderr);
                    parsed += 1;
                }
                Some((&"make", arguments)) => {
                    let mut targets = arguments.iter().filter(|word| !word.contains('='));
                    assert!(targets.all(|word| is_target(&makefile, word)), "{said}");
                    made += 1;
                }
                _ => {}
            }
        }
    }
    assert!(parsed >= 25 && made >= 8, "{parsed} parsed, {made} of make");
}

#[test]
fn a_command_ends_at_a_pipe_and_goes_on_in_a_quoted_text() {
    let page = "Text.\n```sh\nurltree sql \\\n    'a\nb' | head -n 1\nmake sql # look\n```\n```text\nmake no\n```\n";
    let expected = [vec!["urltree", "sql", "a\nb"], vec!["make", "sql"]];
    assert_eq!(commands(page), expected);
    assert!(is_target("sql: build\n", "sql") && !is_target("sql: build\n", "build"));
}

//! Files that a package installs beside the binary: completions and the manual.

use std::io;

use clap::{Command, ValueEnum};
use clap_complete::Shell;

/// A file for packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generated {
    /// Completion script of Bash
    Bash,
    /// Completion script of Elvish
    Elvish,
    /// Completion script of fish
    Fish,
    /// Completion script of PowerShell
    #[value(name = "powershell")]
    PowerShell,
    /// Completion script of Zsh
    Zsh,
    /// Manual in roff: the page of urltree, and one of each command behind it
    Man,
}

/// Returns the file for `command`.
///
/// # Errors
/// None that a write to memory gives.
pub(crate) fn generate(file: Generated, mut command: Command) -> io::Result<String> {
    let shell = match file {
        Generated::Bash => Shell::Bash,
        Generated::Elvish => Shell::Elvish,
        Generated::Fish => Shell::Fish,
        Generated::PowerShell => Shell::PowerShell,
        Generated::Zsh => Shell::Zsh,
        Generated::Man => return manual(command),
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "urltree", &mut script);
    Ok(String::from_utf8_lossy(&script).into_owned())
}

fn manual(mut command: Command) -> io::Result<String> {
    // Names the pages of commands `urltree-COMMAND`.
    command.build();
    let mut pages = Vec::new();
    render(&command, &mut pages)?;
    Ok(String::from_utf8_lossy(&pages).into_owned())
}

/// Appends the page of a command and those of its own commands.
fn render(command: &Command, pages: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    let shown = command
        .get_subcommands()
        .filter(|one| one.get_name() != "help");
    for one in shown {
        render(one, pages)?;
    }
    Ok(())
}

//! Files that a package installs beside the binary: completions and manual pages.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;

/// Returns the completion script of `shell`.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "urltree", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes urltree.1 and urltree-COMMAND.1 into `folder`.
pub(crate) fn pages(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Args::command(), folder))
        .with_context(|| format!("cannot write the manual into {}", folder.display()))
}

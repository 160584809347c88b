//! Formats whose gold file is a plain text.

use crate::{File, GoldError, GoldPage, decode};

/// The treatment of readers' comments in Dragnet's gold files, of which 409 of 1,381
/// have some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Comments {
    /// Comments are not gold: "content" of [Peters 2013].
    #[default]
    Dropped,
    /// Comments are gold: "content and comments" of [Peters 2013].
    Kept,
}

pub(crate) fn read(page: Option<File<'_>>, gold: File<'_>) -> Result<GoldPage, GoldError> {
    let text = decode::text(gold)?.replace("\r\n", "\n");
    Ok(GoldPage::new(page, gold, text.trim().to_owned()))
}

/// The beginning of the line between content and comments. The word after it is
/// COMMENTS; in three gold files it is misspelt, CORRECTED, or missing.
const COMMENTS: &str = "!@#$%^&*()";

pub(crate) fn dragnet(
    page: Option<File<'_>>,
    gold: File<'_>,
    comments: Comments,
) -> Result<GoldPage, GoldError> {
    let mut read = read(page, gold)?;
    let mut lines = read.text.lines();
    let is_content = |line: &&str| !line.trim_start().starts_with(COMMENTS);
    let mut text: Vec<&str> = lines.by_ref().take_while(is_content).collect();
    match comments {
        Comments::Dropped => {}
        Comments::Kept => text.extend(lines),
    }
    read.text = text.join("\n").trim().to_owned();
    Ok(read)
}

//! Golds that are plain text.

use crate::{File, GoldError, GoldPage, decode};

/// What is done with the comments of readers in Dragnet's golds: 409 of 1,381
/// have some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Comments {
    /// They are no gold: "content" of [Peters 2013].
    #[default]
    Dropped,
    /// They are gold too: "content and comments" of [Peters 2013].
    Kept,
}

pub(crate) fn read(page: Option<File<'_>>, gold: File<'_>) -> Result<GoldPage, GoldError> {
    let text = decode::text(gold)?.replace("\r\n", "\n");
    Ok(GoldPage::new(page, gold, text.trim().to_owned()))
}

/// The line that parts comments from content begins like this. The word after it
/// is COMMENTS, but in three golds a misspelling of it, CORRECTED, or none.
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

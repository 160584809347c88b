//! The training pages of BoilerNet [Leonhardt 2020], as its program prepares them.

use crate::labelled::LabelledPage;
use crate::{File, GoldError, GoldPage};

pub(crate) fn read(page: Option<File<'_>>, prepared: File<'_>) -> Result<GoldPage, GoldError> {
    let labelled = LabelledPage::read(prepared, "__boilernet_label", |value| match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })?;
    let text = labelled.text(|content| content);
    Ok(GoldPage::new(page, prepared, text))
}

//! L3S-GN1 [Kohlschütter 2010], the news pages that Boilerpipe was made with.

use crate::error::Reason;
use crate::labelled::Labelled;
use crate::{File, GoldError, GoldPage, decode};

/// What a piece of text is, after the README of L3S-GN1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// `x-nc-sel0`, and text in no labelled `<span>`.
    NotContent,
    /// `x-nc-sel1`.
    Headline,
    /// `x-nc-sel2`.
    FullText,
    /// `x-nc-sel3`: captions of images, bylines, dates.
    Supplemental,
    /// `x-nc-sel4`.
    RelatedContent,
    /// `x-nc-sel5`: what readers wrote.
    UserComments,
}

impl Label {
    fn of(class: &str) -> Option<Self> {
        (class.split_ascii_whitespace()).find_map(|name| match name {
            "x-nc-sel0" => Some(Label::NotContent),
            "x-nc-sel1" => Some(Label::Headline),
            "x-nc-sel2" => Some(Label::FullText),
            "x-nc-sel3" => Some(Label::Supplemental),
            "x-nc-sel4" => Some(Label::RelatedContent),
            "x-nc-sel5" => Some(Label::UserComments),
            _ => None,
        })
    }
}

/// Which labels are gold. The literature has no common choice.
///
/// Labels nest, and the innermost one counts. [K 4] takes all text in the outermost
/// wanted `<span>`, which is 370 words more (of 280,146) in 27 of the 621 pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Labels(u8);

impl Labels {
    /// Headline and full text, which come closest to what CleanEval's guidelines
    /// call content [K 4].
    pub const ARTICLE: Labels = Labels::of(&[Label::Headline, Label::FullText]);
    /// These and supplemental text, as in [Leonhardt 2020] and [Bevendorff 2023].
    pub const ARTICLE_AND_SUPPLEMENTAL: Labels =
        Labels::of(&[Label::Headline, Label::FullText, Label::Supplemental]);

    /// These labels.
    pub const fn of(labels: &[Label]) -> Self {
        let mut bits = 0;
        let mut position = 0;
        // A loop that `const` allows.
        while position < labels.len() {
            bits |= 1 << labels[position] as u8;
            position += 1;
        }
        Labels(bits)
    }

    /// Whether a label is gold.
    pub fn contains(self, label: Label) -> bool {
        self.0 & (1 << label as u8) != 0
    }
}

/// [`Labels::ARTICLE`].
impl Default for Labels {
    fn default() -> Self {
        Labels::ARTICLE
    }
}

pub(crate) fn read(
    page: Option<File<'_>>,
    annotated: File<'_>,
    labels: Labels,
) -> Result<GoldPage, GoldError> {
    let labelled = Labelled::read(annotated, "class", Label::of)?;
    let text = labelled.text(|label| labels.contains(label));
    let headline = labelled.text(|label| label == Label::Headline);
    let mut read = GoldPage::new(page, annotated, text);
    read.title = Some(headline.replace('\n', " ")).filter(|title| !title.is_empty());
    Ok(read)
}

/// The addresses of the pages of L3S-GN1, by [`GoldPage::id`], from the file
/// `url-mapping.txt` of the set: lines `<urn:uuid:ID> URL`, in their order.
///
/// # Errors
///
/// If the file is no text, or a line is not of that form.
pub fn l3s_gn1_urls(file: File<'_>) -> Result<Vec<(String, String)>, GoldError> {
    let text = decode::text(file)?;
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let mapping = line.trim().strip_prefix("<urn:uuid:");
            let (id, url) = mapping
                .and_then(|mapping| mapping.split_once('>'))
                .map(|(id, url)| (id.trim(), url.trim()))
                .filter(|(id, url)| !id.is_empty() && !url.is_empty())
                .ok_or_else(|| Reason::NoMapping.in_line(file, number))?;
            Ok((id.to_owned(), url.to_owned()))
        })
        .collect()
}

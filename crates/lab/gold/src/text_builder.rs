//! A builder of gold texts with one line per block.

/// The separator of two words, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// No separator: the two are one word.
    #[default]
    None,
    /// A space.
    Space,
    /// A line end: the words are in different blocks.
    Line,
}

/// Joins words with separators. Separators at the beginning and the end are dropped; of
/// several between two words the strongest is kept.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    text: String,
    gap: Gap,
}

impl TextBuilder {
    /// Adds a separator before the next word.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Adds text of one block. White space is that of HTML, which has no no-break space.
    pub(crate) fn push(&mut self, text: &str) {
        if text.starts_with(|c: char| c.is_ascii_whitespace()) {
            self.gap(Gap::Space);
        }
        for (position, word) in text.split_ascii_whitespace().enumerate() {
            if position > 0 {
                self.gap(Gap::Space);
            }
            if !self.text.is_empty() {
                match self.gap {
                    Gap::None => {}
                    Gap::Space => self.text.push(' '),
                    Gap::Line => self.text.push('\n'),
                }
            }
            self.gap = Gap::None;
            self.text.push_str(word);
        }
        if text.ends_with(|c: char| c.is_ascii_whitespace()) {
            self.gap(Gap::Space);
        }
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

//! A gold text under construction: blocks as lines.

/// What stands between two words, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// They are one word.
    #[default]
    None,
    Space,
    /// They are in different blocks.
    Line,
}

/// Words and the gaps between them. No gap is at the beginning or the end, and
/// of several in a row the strongest stays.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    gap: Gap,
}

impl Lines {
    /// At least this gap before what follows.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Text of one block. White space is that of HTML: a no-break space is none.
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

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

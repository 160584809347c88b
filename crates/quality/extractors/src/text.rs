//! Text as it is given back: one block per line.

use crate::dom::{Dom, Kind, NodeId, is_inline};

/// Text on its way to lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    line: String,
}

impl Lines {
    /// Appends to the line. Runs of whitespace, over pieces too, are one space.
    pub(crate) fn push(&mut self, piece: &str) {
        for character in piece.chars() {
            if !character.is_whitespace() {
                self.line.push(character);
            } else if !self.line.is_empty() && !self.line.ends_with(' ') {
                self.line.push(' ');
            }
        }
    }

    /// Ends the line, if there is anything in it.
    pub(crate) fn end_line(&mut self) {
        let line = self.line.trim_end();
        if !line.is_empty() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        self.line.clear();
    }

    pub(crate) fn finish(mut self) -> String {
        self.end_line();
        self.text
    }
}

/// The texts for which `kept` holds, a line for each run of text between
/// elements that end a line.
pub(crate) fn lines_of(dom: &Dom, kept: impl Fn(NodeId) -> bool) -> String {
    let mut lines = Lines::default();
    let mut open_blocks = Vec::new();
    for id in 0..dom.len() {
        while open_blocks.last().is_some_and(|end| *end <= id) {
            open_blocks.pop();
            lines.end_line();
        }
        let node = dom.node(id);
        match &node.kind {
            Kind::Element(element) if !is_inline(&element.name) => {
                lines.end_line();
                open_blocks.push(node.end);
            }
            Kind::Element(_) => {}
            Kind::Text(text) if kept(id) => lines.push(text),
            Kind::Text(_) => {}
        }
    }
    lines.finish()
}

/// The words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

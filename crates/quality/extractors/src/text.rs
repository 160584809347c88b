//! The text of an extraction: one block per line.

use crate::dom::{Dom, NodeId, NodeKind, is_inline};

/// Builds a text of lines from pieces.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    text: String,
    line: String,
}

impl TextBuilder {
    /// Appends to the current line. A run of whitespace becomes one space, also across
    /// pieces.
    pub(crate) fn push(&mut self, piece: &str) {
        for character in piece.chars() {
            if !character.is_whitespace() {
                self.line.push(character);
            } else if !self.line.is_empty() && !self.line.ends_with(' ') {
                self.line.push(' ');
            }
        }
    }

    /// Ends the current line, unless it is empty.
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

/// Returns the text nodes that are `kept`, one line per run of text between elements that
/// end a line.
pub(crate) fn lines_of(dom: &Dom, kept: impl Fn(NodeId) -> bool) -> String {
    let mut lines = TextBuilder::default();
    let mut open_blocks = Vec::new();
    for id in 0..dom.len() {
        while open_blocks.last().is_some_and(|end| *end <= id) {
            open_blocks.pop();
            lines.end_line();
        }
        let node = dom.node(id);
        match &node.kind {
            NodeKind::Element(element) if !is_inline(&element.name) => {
                lines.end_line();
                open_blocks.push(node.end);
            }
            NodeKind::Element(_) => {}
            NodeKind::Text(text) if kept(id) => lines.push(text),
            NodeKind::Text(_) => {}
        }
    }
    lines.finish()
}

/// Returns the words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

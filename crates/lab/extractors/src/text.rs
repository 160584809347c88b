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

/// Returns for each node of the body the number of the line of [`lines_of`] the body that its
/// text is in, or that comes next.
pub(crate) fn line_numbers(dom: &Dom) -> Vec<usize> {
    let mut numbers = vec![0; dom.len()];
    let mut open_blocks = Vec::new();
    let (mut number, mut has_text) = (0, false);
    for id in dom.subtree(dom.body()) {
        let mut ends_line = false;
        while open_blocks.last().is_some_and(|end| *end <= id) {
            open_blocks.pop();
            ends_line = true;
        }
        let node = dom.node(id);
        if let NodeKind::Element(element) = &node.kind
            && !is_inline(&element.name)
        {
            open_blocks.push(node.end);
            ends_line = true;
        }
        if ends_line && has_text {
            number += 1;
            has_text = false;
        }
        has_text |= matches!(node.kind, NodeKind::Text(_));
        numbers[id] = number;
    }
    numbers
}

/// Returns the words of a text in lower case: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn the_numbers_of_lines_are_those_of_the_text() {
        let html =
            "<title>No</title><body>1 <b>1</b><div>2<p>3 <i>3</i></p>4</div><br>5<hr><p></p>6";
        let dom = parse(html);
        let numbers = line_numbers(&dom);
        let body = dom.subtree(dom.body());
        let text = lines_of(&dom, |id| body.contains(&id));
        for id in body.clone() {
            if let Some(text_of_node) = dom.text(id) {
                let line = text.lines().nth(numbers[id]).expect("a line");
                assert!(line.contains(text_of_node), "{text_of_node} in {line}");
            }
        }
        assert_eq!(text.lines().count(), 6);
    }
}

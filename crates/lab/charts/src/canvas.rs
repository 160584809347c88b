//! The SVG elements of which charts consist.

use svg::node::element::{Circle, Description, Element, Group, Line, Path, Rectangle, Text, Title};
use svg::{Document, Node};

use crate::downsampling::{self, Position, tenths};
use crate::palette::{BACKGROUND, GRID, INK, MUTED, Stroke};
use crate::scale::{Scale, round_counts};
use crate::text::{grouped, shortened, visible, width_of};

/// Font size, in units of the chart. A unit is a pixel unless a page scales the chart.
pub(crate) const LETTER: f64 = 13.0;
/// Font size of the title.
const TITLE_LETTER: f64 = 17.0;
/// Space around a chart.
pub(crate) const MARGIN: f64 = 20.0;
/// Distance from the upper edge to the chart, which is below its title.
pub(crate) const TOP: f64 = 64.0;

/// The point of a text that is at its position.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The weight of a text: a label, or a less prominent text such as the number of a tick.
#[derive(Clone, Copy)]
pub(crate) enum Weight {
    Label,
    Muted,
}

/// A filled rectangle.
pub(crate) struct Bar<'a> {
    /// Its upper left corner.
    pub(crate) at: Position,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) fill: &'a str,
    pub(crate) tooltip: String,
}

/// A chart under construction.
pub(crate) struct Canvas {
    document: Document,
}

impl Canvas {
    /// Creates an empty chart. It is widened if its title needs more width.
    pub(crate) fn new(title: &str, description: &str, (width, height): (f64, f64)) -> Self {
        let title_width = width_of(title, TITLE_LETTER) + 2.0 * MARGIN;
        let (width, height) = (tenths(width.max(title_width)), tenths(height));
        let background = Rectangle::new()
            .set("width", width)
            .set("height", height)
            .set("fill", BACKGROUND);
        let heading = Text::new(visible(title))
            .set("x", MARGIN)
            .set("y", MARGIN + TITLE_LETTER * 0.7)
            .set("font-size", TITLE_LETTER)
            .set("font-weight", "bold");
        let document = Document::new()
            .set("width", width)
            .set("height", height)
            .set("viewBox", (0.0, 0.0, width, height))
            .set("role", "img")
            .set("font-family", "Arial, Helvetica, DejaVu Sans, sans-serif")
            .set("font-size", LETTER)
            .set("fill", INK)
            .add(Title::new(visible(title)))
            .add(Description::new().add(svg::node::Text::new(visible(description))))
            .add(background)
            .add(inline(heading));
        Canvas { document }
    }

    /// Returns the chart as text.
    pub(crate) fn into_svg(self) -> String {
        self.document.to_string()
    }

    /// Draws a text on one line, in full.
    pub(crate) fn text(&mut self, at: Position, anchor: Anchor, weight: Weight, text: &str) {
        let node = label(at, anchor, &visible(text));
        let node = match weight {
            Weight::Label => node,
            Weight::Muted => node.set("fill", MUTED),
        };
        self.add(inline(node));
    }

    /// Draws a name on one line, shortened if it is long. Its tooltip has the full name.
    pub(crate) fn name(&mut self, at: Position, anchor: Anchor, name: &str) {
        let tooltip = Title::new(visible(name));
        let name = visible(&shortened(name));
        let label = inline(label(at, anchor, &name));
        self.add(Group::new().add(tooltip).add(label));
    }

    /// Draws a grid line.
    pub(crate) fn grid(&mut self, from: Position, to: Position) {
        self.add(straight(from, to).set("stroke", GRID));
    }

    /// Draws an axis, or a line of a whisker.
    pub(crate) fn axis(&mut self, from: Position, to: Position) {
        self.add(straight(from, to).set("stroke", INK));
    }

    /// Draws a horizontal sample of a stroke.
    pub(crate) fn sample(&mut self, (x, y): Position, width: f64, stroke: &Stroke) {
        let sample = straight((x, y), (x + width, y))
            .set("stroke", stroke.colour)
            .set("stroke-dasharray", stroke.dashes)
            .set("stroke-width", 2);
        self.add(sample);
    }

    /// Draws a line through positions from left to right, with a dot at its end.
    pub(crate) fn curve(&mut self, positions: &[Position], stroke: &Stroke, tooltip: &str) {
        let Some((x, y)) = positions.last() else {
            return;
        };
        let path = Path::new()
            .set("d", downsampling::path(positions))
            .set("fill", "none")
            .set("stroke", stroke.colour)
            .set("stroke-dasharray", stroke.dashes)
            .set("stroke-width", 1.6)
            .set("stroke-linejoin", "round");
        let dot = Circle::new()
            .set("cx", tenths(*x))
            .set("cy", tenths(*y))
            .set("r", 2.5)
            .set("fill", stroke.colour);
        let curve = Group::new()
            .add(Title::new(visible(tooltip)))
            .add(path)
            .add(dot);
        self.add(curve);
    }

    /// Draws a bar, unless its width or height rounds to 0.
    pub(crate) fn bar(&mut self, bar: Bar<'_>) {
        let (width, height) = (tenths(bar.width), tenths(bar.height));
        if width <= 0.0 || height <= 0.0 {
            return;
        }
        let rectangle = Rectangle::new()
            .set("x", tenths(bar.at.0))
            .set("y", tenths(bar.at.1))
            .set("width", width)
            .set("height", height)
            .set("fill", bar.fill)
            .add(Title::new(visible(&bar.tooltip)));
        self.add(rectangle);
    }

    /// Draws the coloured square of a legend, vertically centred on a text at the same
    /// position.
    pub(crate) fn swatch(&mut self, (x, y): Position, fill: &str) {
        let square = Rectangle::new()
            .set("x", tenths(x))
            .set("y", tenths(y - 10.0))
            .set("width", 11)
            .set("height", 11)
            .set("fill", fill);
        self.add(square);
    }

    /// Draws vertical grid lines at round counts, with the counts below them.
    pub(crate) fn count_axis(&mut self, scale: &Scale, most: usize, (top, bottom): (f64, f64)) {
        for count in round_counts(most) {
            let x = scale.position(count as f64);
            self.grid((x, top), (x, bottom));
            let below = (x, bottom + 1.4 * LETTER);
            self.text(below, Anchor::Middle, Weight::Muted, &grouped(count));
        }
    }

    fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.document.append(node);
    }
}

fn label((x, y): Position, anchor: Anchor, text: &str) -> Text {
    let label = Text::new(text).set("x", tenths(x)).set("y", tenths(y));
    match anchor {
        Anchor::Start => label,
        Anchor::Middle => label.set("text-anchor", "middle"),
        Anchor::End => label.set("text-anchor", "end"),
    }
}

/// Removes the line breaks that `Text` writes around its content, which would be
/// rendered as spaces.
fn inline(text: Text) -> Element {
    text.into()
}

fn straight(from: Position, to: Position) -> Line {
    Line::new()
        .set("x1", tenths(from.0))
        .set("y1", tenths(from.1))
        .set("x2", tenths(to.0))
        .set("y2", tenths(to.1))
}

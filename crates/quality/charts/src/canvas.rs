//! What charts are made of: the elements of an SVG document.

use svg::node::element::{Circle, Description, Element, Group, Line, Path, Rectangle, Text, Title};
use svg::{Document, Node};

use crate::lines::{self, Position, tenths};
use crate::palette::{GRID, GROUND, INK, MUTED, Stroke};
use crate::scale::{Scale, round_counts};
use crate::text::{grouped, shortened, visible, width_of};

/// Size of letters, in units of the chart, which are pixels unless a page scales it.
pub(crate) const LETTER: f64 = 13.0;
/// Size of the letters of the title.
const TITLE_LETTER: f64 = 17.0;
/// Space around a chart.
pub(crate) const MARGIN: f64 = 20.0;
/// Where a chart begins, below its title.
pub(crate) const TOP: f64 = 64.0;

/// Which point of a text its position is.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text that is a label of the chart, or one that stands back.
#[derive(Clone, Copy)]
pub(crate) enum Weight {
    Label,
    Muted,
}

/// A filled rectangle.
pub(crate) struct Bar<'a> {
    /// Its left upper corner.
    pub(crate) at: Position,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) fill: &'a str,
    /// Its tooltip.
    pub(crate) says: String,
}

/// A chart that is being drawn.
pub(crate) struct Canvas {
    document: Document,
}

impl Canvas {
    /// A chart of a size, or as wide as its title, and what it says in words.
    pub(crate) fn new(title: &str, description: &str, (width, height): (f64, f64)) -> Self {
        let title_width = width_of(title, TITLE_LETTER) + 2.0 * MARGIN;
        let (width, height) = (tenths(width.max(title_width)), tenths(height));
        let ground = Rectangle::new()
            .set("width", width)
            .set("height", height)
            .set("fill", GROUND);
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
            .add(ground)
            .add(inline(heading));
        Canvas { document }
    }

    /// The chart as text.
    pub(crate) fn into_svg(self) -> String {
        self.document.to_string()
    }

    /// A text on one line, as it is.
    pub(crate) fn text(&mut self, at: Position, anchor: Anchor, weight: Weight, text: &str) {
        let node = label(at, anchor, &visible(text));
        let node = match weight {
            Weight::Label => node,
            Weight::Muted => node.set("fill", MUTED),
        };
        self.add(inline(node));
    }

    /// A name on one line, shortened if it is long.
    pub(crate) fn name(&mut self, at: Position, anchor: Anchor, name: &str) {
        let tooltip = Title::new(visible(name));
        let name = visible(&shortened(name));
        let label = inline(label(at, anchor, &name));
        self.add(Group::new().add(tooltip).add(label));
    }

    /// A line behind the data.
    pub(crate) fn grid(&mut self, from: Position, to: Position) {
        self.add(straight(from, to).set("stroke", GRID));
    }

    /// The line on which data stand, or a whisker.
    pub(crate) fn axis(&mut self, from: Position, to: Position) {
        self.add(straight(from, to).set("stroke", INK));
    }

    /// A sample of a stroke, from left to right.
    pub(crate) fn sample(&mut self, (x, y): Position, width: f64, stroke: &Stroke) {
        let sample = straight((x, y), (x + width, y))
            .set("stroke", stroke.colour)
            .set("stroke-dasharray", stroke.dashes)
            .set("stroke-width", 2);
        self.add(sample);
    }

    /// A line through positions from left to right, with a dot at its end; `says` is
    /// its tooltip.
    pub(crate) fn curve(&mut self, positions: &[Position], stroke: &Stroke, says: &str) {
        let Some((x, y)) = positions.last() else {
            return;
        };
        let path = Path::new()
            .set("d", lines::path(positions))
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
            .add(Title::new(visible(says)))
            .add(path)
            .add(dot);
        self.add(curve);
    }

    /// A bar; one without width or height, or too narrow for a screen, is not drawn.
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
            .add(Title::new(visible(&bar.says)));
        self.add(rectangle);
    }

    /// A square of a legend, centred on the height of a text at the same position.
    pub(crate) fn swatch(&mut self, (x, y): Position, fill: &str) {
        let square = Rectangle::new()
            .set("x", tenths(x))
            .set("y", tenths(y - 10.0))
            .set("width", 11)
            .set("height", 11)
            .set("fill", fill);
        self.add(square);
    }

    /// Lines of the grid across horizontal bars at round counts, with the counts below.
    pub(crate) fn count_axis(&mut self, scale: &Scale, most: usize, (top, bottom): (f64, f64)) {
        for count in round_counts(most) {
            let x = scale.at(count as f64);
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

/// The text without the line breaks that `Text` writes around its content, which
/// would be spaces.
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

//! Groups the kept blocks of a page into paragraphs, headings, code and tables.

use crate::address::Addresses;
use crate::blank::is_blank;
use crate::inline::Inline;
use crate::kept::{KeptPiece, kept};
use crate::structure::{Content, Joint, Kind, MarkupError, Piece, Structure};
use crate::table::{Grid, Tables};

/// Quotes, lists and items around a text that are written. Deeper ones are left out: their indents
/// would be longer than their texts.
const NESTING: usize = 24;

/// A part of the page that is written as one Markdown block.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The quotes, lists and items around it, from the outermost.
    pub(crate) path: Vec<u32>,
    pub(crate) leaf: Leaf,
    /// The container that the leaf is, 0 for a paragraph.
    container: u32,
}

#[derive(Debug)]
pub(crate) enum Leaf {
    Paragraph(Inline),
    Heading(u8, Inline),
    Code(String, String),
    Table(Grid),
}

/// Where a piece belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: Vec<u32>,
    container: u32,
    kind: PlaceKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PlaceKind {
    Paragraph,
    Heading(u8),
    Code,
    Table,
}

/// Groups the pieces of blocks for which `keep` is set. `texts` are those of the blocks.
pub(crate) fn units<T: AsRef<str>>(
    structure: &Structure,
    texts: &[T],
    keep: &[bool],
    addresses: &Addresses,
) -> Result<Vec<Unit>, MarkupError> {
    let pieces = kept(structure, texts, keep, addresses)?;
    let tables = Tables::new(structure, &pieces);
    let mut units: Vec<Unit> = Vec::new();
    let mut last: Option<(u32, Place)> = None;
    for KeptPiece { piece, joint, text } in &pieces {
        // Most pieces are beside the one before.
        let place = match &last {
            Some((container, place)) if *container == piece.container => place.clone(),
            _ => place(structure, &tables, piece.container),
        };
        let continues = |unit: &Unit| {
            unit.container == place.container
                && unit.path == place.path
                && (place.container > 0 || *joint < Joint::Paragraph)
        };
        if !units.last().is_some_and(continues) {
            let leaf = match place.kind {
                PlaceKind::Paragraph => Leaf::Paragraph(Inline::default()),
                PlaceKind::Heading(level) => Leaf::Heading(level, Inline::default()),
                PlaceKind::Code => Leaf::Code(language(structure, place.container), String::new()),
                PlaceKind::Table => Leaf::Table(tables.grid(structure, place.container)),
            };
            units.push(Unit {
                path: place.path.clone(),
                leaf,
                container: place.container,
            });
        }
        if let Some(unit) = units.last_mut() {
            unit.leaf.push(structure, piece, (*joint, text), addresses);
        }
        last = Some((piece.container, place));
    }
    units.retain(|unit| !unit.leaf.is_blank());
    Ok(units)
}

fn place(structure: &Structure, tables: &Tables, container: u32) -> Place {
    let mut path = Vec::new();
    let mut heading = None;
    let chain = structure.chain(container);
    let is_caption =
        |at: Option<&u32>| at.is_some_and(|at| matches!(structure.kind(*at), Some(Kind::Caption)));
    for (inside, at) in (1..).zip(chain.iter().copied()) {
        let kind = match structure.kind(at) {
            Some(Kind::Table) if is_caption(chain.get(inside)) => continue,
            Some(Kind::Table) if tables.is_grid(at) => PlaceKind::Table,
            Some(Kind::Caption) => PlaceKind::Paragraph,
            Some(Kind::Code(_)) => PlaceKind::Code,
            Some(Kind::Heading(level)) => {
                heading = Some((at, *level, path.len()));
                continue;
            }
            Some(Kind::Quote | Kind::List | Kind::Ordered(_) | Kind::Item(_)) => {
                if path.len() < NESTING {
                    path.push(at);
                }
                continue;
            }
            _ => continue,
        };
        return Place {
            path: bounded(structure, path),
            container: at,
            kind,
        };
    }
    if let Some((at, level, outside)) = heading {
        path.truncate(outside);
        return Place {
            path: bounded(structure, path),
            container: at,
            kind: PlaceKind::Heading(level),
        };
    }
    Place {
        path: bounded(structure, path),
        container: 0,
        kind: PlaceKind::Paragraph,
    }
}

/// A path without the lists that have text outside of their items there.
fn bounded(structure: &Structure, path: Vec<u32>) -> Vec<u32> {
    let is_item = |at: &u32| matches!(structure.kind(*at), Some(Kind::Item(_)));
    let is_list = |at: &u32| matches!(structure.kind(*at), Some(Kind::List | Kind::Ordered(_)));
    let next = path.iter().skip(1).map(Some).chain([None]);
    let both = path.iter().zip(next);
    both.filter(|(at, next)| !is_list(at) || next.is_some_and(is_item))
        .map(|(at, _)| *at)
        .collect()
}

fn language(structure: &Structure, container: u32) -> String {
    match structure.kind(container) {
        Some(Kind::Code(language)) => language.clone(),
        _ => String::new(),
    }
}

impl Leaf {
    /// Whether there is nothing to see: no mark of a heading, an item or a quote is written for it.
    fn is_blank(&self) -> bool {
        match self {
            Self::Paragraph(inline) | Self::Heading(_, inline) => inline.is_blank(),
            Self::Code(_, code) => is_blank(code),
            Self::Table(grid) => grid.is_blank(),
        }
    }

    fn push(
        &mut self,
        structure: &Structure,
        piece: &Piece,
        (joint, text): (Joint, &str),
        addresses: &Addresses,
    ) {
        let (inline, joint) = match self {
            Self::Code(_, code) => {
                if matches!(piece.content, Content::Block { .. }) {
                    code.push_str(if code.is_empty() { "" } else { "\n" });
                    code.push_str(text);
                }
                return;
            }
            Self::Table(grid) => match grid.cell(structure, piece.container) {
                Some(cell) => (cell, joint.min(Joint::Space)),
                None => return,
            },
            Self::Heading(_, inline) => (inline, joint.min(Joint::Space)),
            Self::Paragraph(inline) => (inline, joint),
        };
        match &piece.content {
            Content::Block { spans, images } => {
                inline.push(text, joint, (spans, images), addresses);
            }
            Content::Image(image) => inline.push_image(image, joint, addresses),
        }
    }
}

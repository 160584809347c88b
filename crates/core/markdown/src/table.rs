//! Tables: which are data, and their cells in rows and columns.

use std::collections::{HashMap, HashSet};

use crate::context::Context;
use crate::form::Form;
use crate::inline::Inline;
use crate::kept::KeptPiece;
use crate::structure::{Container, Kind, Structure};

/// Columns of a table. A wider one is a calendar or a layout, and no reader gets a line of a thousand cells
/// right.
const COLUMNS: usize = 64;

/// Characters of a cell. A longer one is a page in a layout table.
const CELL_CHARS: usize = 1000;

/// The tables of a page that are written as tables.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The rows of the data tables, in source order.
    rows: HashMap<u32, Vec<Row>>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    cells: Vec<u32>,
    /// Whether a kept piece is in it.
    kept: bool,
}

/// Facts about a table from its kept pieces.
#[derive(Debug, Default)]
struct Seen {
    /// It has a table, a heading or code inside, or text after its first cell that is in no cell.
    layout: bool,
    rows: HashSet<u32>,
    chars: HashMap<u32, usize>,
}

impl Tables {
    pub(crate) fn new(structure: &Structure, pieces: &[KeptPiece<'_>]) -> Self {
        let is_table = |container: &Container| container.kind == Kind::Table;
        if !structure.containers.iter().any(is_table) {
            return Self::default();
        }
        let mut seen: HashMap<u32, Seen> = HashMap::new();
        for kept in pieces {
            see(structure, kept, &mut seen);
        }
        let mut rows: HashMap<u32, Vec<Row>> = HashMap::new();
        let mut row_of: HashMap<u32, (u32, usize)> = HashMap::new();
        for (at, container) in (1..).zip(&structure.containers) {
            match container.kind {
                Kind::Row => {
                    let Some(seen) = seen.get(&container.parent).filter(|seen| !seen.layout) else {
                        continue;
                    };
                    let rows = rows.entry(container.parent).or_default();
                    row_of.insert(at, (container.parent, rows.len()));
                    rows.push(Row {
                        cells: Vec::new(),
                        kept: seen.rows.contains(&at),
                    });
                }
                Kind::Cell(..) => {
                    if let Some((table, row)) = row_of.get(&container.parent)
                        && let Some(rows) = rows.get_mut(table)
                    {
                        rows[*row].cells.push(at);
                    }
                }
                _ => {}
            }
        }
        rows.retain(|_, rows| {
            let columns = columns(structure, rows);
            let kept = rows.iter().filter(|row| row.kept).count();
            kept >= 2 && (2..=COLUMNS).contains(&columns)
        });
        Self { rows }
    }

    pub(crate) fn is_grid(&self, table: u32) -> bool {
        self.rows.contains_key(&table)
    }

    /// An empty grid of a table.
    pub(crate) fn grid(&self, structure: &Structure, table: u32) -> Grid {
        let rows = self.rows.get(&table).map_or(&[][..], Vec::as_slice);
        Grid::new(structure, rows)
    }
}

/// Notes what a piece says about the tables around it.
fn see(structure: &Structure, kept: &KeptPiece<'_>, seen: &mut HashMap<u32, Seen>) {
    let chain = structure.chain(kept.piece.container);
    let is_caption = |at: &u32| matches!(structure.kind(*at), Some(Kind::Caption));
    // It is outside of its table.
    let caption = chain.iter().rposition(is_caption);
    let chain = &chain[..caption.map_or(chain.len(), |at| at.saturating_sub(1))];
    // From the innermost container outwards: what is inside the next table.
    let mut layout = false;
    let (mut row, mut cell) = (None, None);
    for at in chain.iter().rev() {
        match structure.kind(*at) {
            Some(Kind::Heading(_) | Kind::Code(_)) => layout = true,
            Some(Kind::Row) => row = row.or(Some(*at)),
            Some(Kind::Cell(..)) => cell = cell.or(Some(*at)),
            Some(Kind::Table) => {
                let seen = seen.entry(*at).or_default();
                let (Some(row), Some(cell)) = (row.take(), cell.take()) else {
                    seen.layout = true;
                    layout = true;
                    continue;
                };
                let chars = seen.chars.entry(cell).or_default();
                *chars += kept.text.chars().count();
                seen.layout |= layout || *chars > CELL_CHARS;
                seen.rows.insert(row);
                layout = true;
            }
            _ => {}
        }
    }
}

/// The number of columns of the rows that are kept.
fn columns(structure: &Structure, rows: &[Row]) -> usize {
    let grid = Grid::new(structure, rows);
    grid.rows.iter().map(Vec::len).max().unwrap_or(0)
}

/// The cells of a table.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// The texts of the rows that have any. Cells that a wide or a high cell covers are empty.
    rows: Vec<Vec<Inline>>,
    /// The row and the column of each cell.
    places: HashMap<u32, (usize, usize)>,
}

impl Grid {
    fn new(structure: &Structure, rows: &[Row]) -> Self {
        let mut grid = Self::default();
        // The rows below that a high cell of each column covers.
        let mut covered: Vec<u16> = Vec::new();
        for row in rows {
            let mut texts: Vec<Inline> = Vec::new();
            let mut column = 0;
            for cell in &row.cells {
                let Some(Kind::Cell(wide, high)) = structure.kind(*cell) else {
                    continue;
                };
                while covered.get(column).is_some_and(|rows| *rows > 0) {
                    column += 1;
                }
                if column > COLUMNS {
                    break;
                }
                if row.kept {
                    grid.places.insert(*cell, (grid.rows.len(), column));
                }
                let end = (column + usize::from(*wide)).min(COLUMNS + 1);
                covered.resize_with(covered.len().max(end), u16::default);
                // It is counted down at the end of this row.
                covered[column..end].fill(*high);
                column = end;
            }
            for rows in &mut covered {
                *rows = rows.saturating_sub(1);
            }
            if row.kept {
                texts.resize_with(column, Inline::default);
                grid.rows.push(texts);
            }
        }
        grid
    }

    /// The text of the cell that a container is in.
    pub(crate) fn cell(&mut self, structure: &Structure, container: u32) -> Option<&mut Inline> {
        let chain = structure.chain(container);
        let place = chain.iter().find_map(|at| self.places.get(at))?;
        self.rows.get_mut(place.0)?.get_mut(place.1)
    }

    /// Whether no cell has anything to see.
    pub(crate) fn is_blank(&self) -> bool {
        self.rows.iter().flatten().all(Inline::is_blank)
    }

    /// Writes the table, its first row as the header.
    pub(crate) fn write(&self, form: &Form) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out.push('|');
            for column in 0..columns {
                let text = row.get(column).map(|cell| cell.write(Context::Cell, form));
                let text = text.unwrap_or_default();
                out.push(' ');
                out.push_str(&text);
                out.push_str(if text.is_empty() { "|" } else { " |" });
            }
            out.push('\n');
            if at == 0 {
                out.push('|');
                out.push_str(&" --- |".repeat(columns));
                out.push('\n');
            }
        }
        out.pop();
        out
    }
}

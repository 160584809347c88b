//! The place of each column in a list.

use crate::pages::columns::{Column, Columns};
use crate::pages::error::RowsError;

/// Returns the positions of the columns that `names` has.
///
/// # Errors
/// If it lacks a needed column, or one that was given a name.
pub(crate) fn positions(
    names: &[String],
    columns: &Columns,
    needed: &[Column],
) -> Result<Vec<(Column, usize)>, RowsError> {
    let mut positions = Vec::new();
    for column in Column::ALL {
        let candidates = columns.candidates(column);
        let at = |name: &&str| names.iter().position(|found| found == name);
        match candidates.iter().find_map(at) {
            Some(position) => positions.push((column, position)),
            None if needed.contains(&column) || columns.names(column) => {
                return Err(RowsError::NoColumn {
                    column,
                    names: candidates.join(" or "),
                    found: names.join(", "),
                });
            }
            None => {}
        }
    }
    Ok(positions)
}

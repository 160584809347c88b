//! Methods that compare a page with other pages of its site.

mod alarte;
mod iwptd;
mod labels;
mod mapping;
mod neighbours;
mod rbmtd;
mod rtdm;
mod segment_table;
mod sst;
mod style_tree;
mod temex;

pub use alarte::Alarte;
pub use iwptd::Iwptd;
pub use neighbours::{PageChoice, PageOrder};
pub use rbmtd::RbmTd;
pub use rtdm::RtdmTd;
pub(crate) use segment_table::SegmentTable;
pub use sst::Sst;
pub(crate) use style_tree::StyleTree;
pub use temex::TemEx;

use std::ops::Range;

use crate::dom::{Dom, NodeId};
use crate::text::lines_of;
use crate::{ExtractError, Extraction};

/// Returns the nodes of `body`.
///
/// # Errors
/// [`ExtractError::NoText`] if none of them is a text.
fn body_with_text(dom: &Dom) -> Result<Range<NodeId>, ExtractError> {
    let body = dom.subtree(dom.body());
    if body.clone().all(|id| dom.text(id).is_none()) {
        return Err(ExtractError::NoText);
    }
    Ok(body)
}

/// Extracts the nodes of `body` that are not template.
fn outside(dom: &Dom, template: &[bool]) -> Extraction {
    let body = dom.subtree(dom.body());
    let is_content = |id: NodeId| body.contains(&id) && !template[id];
    let nodes = body.clone().filter(|id| is_content(*id)).count();
    Extraction::new(lines_of(dom, is_content), Some(nodes)).keeping(is_content, dom)
}

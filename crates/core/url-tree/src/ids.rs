//! Identifiers of blocks, nodes and entries.

/// Hash of a text block: MD5 of its normalised text [P 4].
pub type BlockHash = [u8; 16];

/// Id of a block, dense from 0; reused once no entry contains the block.
///
/// The interner reuses ids first in, first out, so the new blocks of a page have
/// neighbouring ids and a [`BlockList`](crate::block_list::BlockList) stores them as one
/// run.
pub(crate) type BlockId = u32;

/// Id of a node; reused once the node is removed.
pub(crate) type NodeId = u32;

/// Number of an entry in the stream of its domain, modulo 2^31.
///
/// A window has fewer entries than that, so a position is unique in it.
pub(crate) type Position = u32;

/// Returns the sum of two positions, modulo 2^31.
pub(crate) fn position_sum(one: Position, other: Position) -> Position {
    one.wrapping_add(other) & (u32::MAX >> 1)
}

/// Returns the first position minus the second, modulo 2^31.
pub(crate) fn position_difference(one: Position, other: Position) -> Position {
    one.wrapping_sub(other) & (u32::MAX >> 1)
}

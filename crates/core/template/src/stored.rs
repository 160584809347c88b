//! What a page adds, as bytes: what is kept of it with the page.

use crate::layout::number;
use crate::varint::push;
use crate::{PageSlots, Slot};

/// Bytes that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are of no page's template")]
pub struct BytesError;

impl PageSlots {
    /// The slots as bytes, to be kept with the page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 * self.slots.len());
        for slot in &self.slots {
            push(&mut bytes, slot.parent.into());
            push(&mut bytes, slot.key.len() as u64);
            bytes.extend_from_slice(slot.key.as_bytes());
            for number in [slot.mass, slot.chars, slot.link_chars, slot.repeated_chars] {
                push(&mut bytes, number.into());
            }
        }
        bytes
    }

    /// The slots in these bytes. No bytes are a page without slots, which adds nothing.
    ///
    /// # Errors
    /// [`BytesError`] where they are not from [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut slots = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let slot = pull_slot(&mut rest).ok_or(BytesError)?;
            // A slot comes after the one around it.
            if slot.parent as usize >= slots.len().max(1) {
                return Err(BytesError);
            }
            slots.push(slot);
        }
        Ok(Self { slots })
    }
}

fn pull_slot(bytes: &mut &[u8]) -> Option<Slot> {
    let parent = number(bytes)?;
    let length = number(bytes)?;
    let (key, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(Slot {
        parent,
        key: std::str::from_utf8(key).ok()?.to_owned(),
        mass: number(bytes)?,
        chars: number(bytes)?,
        link_chars: number(bytes)?,
        repeated_chars: number(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(parent: u32, key: &str, chars: u32) -> Slot {
        Slot {
            parent,
            key: key.to_owned(),
            mass: 3,
            chars,
            link_chars: 0,
            repeated_chars: u32::MAX,
        }
    }

    #[test]
    fn slots_come_out_as_they_went_in() {
        let page = PageSlots {
            slots: vec![slot(0, "", 0), slot(0, "div.ä", 300), slot(1, "p", 1)],
        };
        let bytes = page.to_bytes();
        assert_eq!(PageSlots::from_bytes(&bytes), Ok(page));
        assert_eq!(PageSlots::from_bytes(&[]), Ok(PageSlots::default()));
        for end in [1, 5, bytes.len() - 1] {
            assert_eq!(
                PageSlots::from_bytes(&bytes[..end]),
                Err(BytesError),
                "{end}"
            );
        }
    }

    #[test]
    fn a_slot_in_one_that_is_not_there_is_refused() {
        let page = PageSlots {
            slots: vec![slot(0, "", 0), slot(2, "p", 1), slot(0, "p", 1)],
        };
        assert_eq!(PageSlots::from_bytes(&page.to_bytes()), Err(BytesError));
    }
}

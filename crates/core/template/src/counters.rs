//! Sums per DOM path, and the contribution of each page of the window.

use crate::page_paths::DomPath;
use crate::thresholds::pages;
use crate::varint;

/// The sums of one path over the pages of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// Number of pages that have the path.
    pub(crate) pages: u32,
    pub(crate) text_mass: u64,
    pub(crate) chars: u64,
    pub(crate) link_chars: u64,
    pub(crate) repeated_chars: u64,
    pub(crate) familiar_chars: u64,
    pub(crate) blocks: u64,
}

/// The contribution of one page to the sums of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) text_mass: u32,
    pub(crate) chars: u32,
    pub(crate) link_chars: u32,
    pub(crate) repeated_chars: u32,
    pub(crate) familiar_chars: u32,
    pub(crate) blocks: u32,
}

impl From<&DomPath> for Share {
    fn from(path: &DomPath) -> Self {
        Share {
            text_mass: path.text_mass,
            chars: path.chars,
            link_chars: path.link_chars,
            repeated_chars: path.repeated_chars,
            familiar_chars: path.familiar_chars,
            blocks: path.blocks,
        }
    }
}

impl Sums {
    /// Returns whether at most one page has the path, so that the site's use of it is unknown.
    pub(crate) fn is_of_one_page(&self) -> bool {
        self.pages <= 1
    }

    /// Returns whether so few pages have the path that one page dominates its mass.
    pub(crate) fn is_of_few_pages(&self) -> bool {
        self.pages < pages::OF_PATH
    }

    /// Returns whether enough pages have the path, and half of those of the site.
    pub(crate) fn is_usual(&self, of_site: usize) -> bool {
        self.pages >= pages::OF_PATH && pages::USUAL.is_reached(self.pages.into(), of_site as u64)
    }

    pub(crate) fn add(&mut self, share: Share) {
        self.pages += 1;
        self.text_mass += u64::from(share.text_mass);
        self.chars += u64::from(share.chars);
        self.link_chars += u64::from(share.link_chars);
        self.repeated_chars += u64::from(share.repeated_chars);
        self.familiar_chars += u64::from(share.familiar_chars);
        self.blocks += u64::from(share.blocks);
    }

    /// Reverts one [`add`](Self::add).
    pub(crate) fn subtract(&mut self, share: Share) {
        self.pages -= 1;
        self.text_mass -= u64::from(share.text_mass);
        self.chars -= u64::from(share.chars);
        self.link_chars -= u64::from(share.link_chars);
        self.repeated_chars -= u64::from(share.repeated_chars);
        self.familiar_chars -= u64::from(share.familiar_chars);
        self.blocks -= u64::from(share.blocks);
    }
}

/// The shares of one page with the ids of their paths, encoded in a few bytes per path.
///
/// A window has thousands of pages.
#[derive(Debug, Default)]
pub(crate) struct Shares(Box<[u8]>);

/// Lowest bit of a step: the text mass follows.
const HAS_TEXT_MASS: u64 = 1;
/// Second bit of a step: the numbers of characters follow.
const HAS_TEXT: u64 = 2;

impl Shares {
    pub(crate) fn pack(shares: impl Iterator<Item = (u32, Share)>) -> Self {
        let mut bytes = Vec::new();
        let mut before = 0;
        for (path, share) in shares {
            // Ids follow the order of paths on the first page of a template, so steps are small.
            let step = zigzag(i64::from(path) - before);
            before = i64::from(path);
            let text_mass = if share.text_mass > 0 {
                HAS_TEXT_MASS
            } else {
                0
            };
            let text = if share.chars > 0 { HAS_TEXT } else { 0 };
            varint::write(&mut bytes, step << 2 | text | text_mass);
            if text_mass > 0 {
                varint::write(&mut bytes, share.text_mass);
            }
            if text > 0 {
                varint::write(&mut bytes, share.chars);
                varint::write(&mut bytes, share.link_chars);
                varint::write(&mut bytes, share.repeated_chars);
                varint::write(&mut bytes, share.familiar_chars);
                varint::write(&mut bytes, share.blocks);
            }
        }
        Shares(bytes.into())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Share)> {
        let mut bytes = &*self.0;
        let mut path = 0_i64;
        std::iter::from_fn(move || {
            let head: u64 = varint::read(&mut bytes)?;
            path += unzigzag(head >> 2);
            let mut number = || varint::read(&mut bytes);
            let mut share = Share::default();
            if head & HAS_TEXT_MASS != 0 {
                share.text_mass = number()?;
            }
            if head & HAS_TEXT != 0 {
                share.chars = number()?;
                share.link_chars = number()?;
                share.repeated_chars = number()?;
                share.familiar_chars = number()?;
                share.blocks = number()?;
            }
            Some((u32::try_from(path).ok()?, share))
        })
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_round_trip() {
        let text = |chars, link_chars, repeated_chars| Share {
            text_mass: 0,
            chars,
            link_chars,
            repeated_chars,
            familiar_chars: 5,
            blocks: 2,
        };
        let text_mass = |text_mass| Share {
            text_mass,
            ..Share::default()
        };
        let shares = vec![
            (7, text_mass(u32::MAX)),
            (0, text(u32::MAX, 127, 0)),
            (u32::MAX, Share::default()),
            (3, text(128, 0, u32::MAX)),
            (
                4,
                Share {
                    text_mass: 300,
                    ..text(1, 1, 1)
                },
            ),
        ];
        let packed = Shares::pack(shares.iter().copied());
        assert_eq!(packed.iter().collect::<Vec<_>>(), shares);
    }
}

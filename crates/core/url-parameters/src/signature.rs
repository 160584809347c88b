//! A short description of a page's text, by which two pages are compared.

use html_blocks::{Page, TextBlock, block_hash};

/// Blocks in a signature at most: those with the most text. Two pages are compared by the longest
/// paragraphs, so a higher number adds little but bytes: a signature has up to 100.
const MAX_BLOCKS: usize = 16;

/// Bytes of an encoded block: its hash and its weight.
const BLOCK_BYTES: usize = 6;

/// Bytes of the encoded hash of the title.
const TITLE_BYTES: usize = 4;

/// Least weight that two pages share of the weight of both, for equal content. 1.0 means equal
/// blocks.
const SAME_OVERLAP: f64 = 0.8;

/// Largest shared weight of two pages that certainly differ.
const DIFFERENT_OVERLAP: f64 = 0.5;

/// Least weight of a signature that proves anything about a parameter: some two sentences. Pages
/// with less text are error pages, log-in forms and pages that a script fills.
const TELLING_WEIGHT: u32 = 100;

/// Paths that a block's path is looked for among. A hostile page has a path per block.
const MAX_PATHS: usize = 64;

/// Characters of link text that weigh as much as one other character. Lists of links are content
/// of pages that have little else, and change on all others.
const LINK_CHARS_PER_CHAR: u32 = 8;

/// The title of a page and its longest text blocks, as hashes.
///
/// It is a function of the page alone, so that pages of any two dates can be compared. Digits
/// count, unlike in the hashes of blocks: two pages of a calendar differ in digits only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    title: u32,
    /// Hash and weight, sorted by hash, without repetition.
    blocks: Vec<(u32, u16)>,
}

/// The result of comparing two pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// Equal content.
    Same,
    /// Other content, though much of it is equal: an edited page, or a page that quotes another.
    Unclear,
    /// Other content.
    Different,
}

/// Bytes that are not a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} bytes are not a signature")]
pub struct SignatureError(usize);

impl Signature {
    /// Describes a page.
    pub fn new(page: &Page) -> Self {
        let is_only_chrome = page.blocks.iter().all(|block| block.chrome);
        let blocks = (page.blocks.iter()).filter(|block| is_only_chrome || !block.chrome);
        let shares = PathShares::new(blocks.clone());
        let mut heaviest = Heaviest::default();
        for (block, share) in blocks.zip(shares.of_blocks()) {
            heaviest.add(block, share);
        }
        let weighed = heaviest.blocks;
        let mut blocks: Vec<(u32, u16)> = weighed
            .iter()
            .map(|(weight, block)| (hash(block), *weight))
            .collect();
        blocks.sort_unstable();
        blocks.dedup_by_key(|(hash, _)| *hash);
        Self {
            title: page.title.as_deref().map_or(0, title_hash),
            blocks,
        }
    }

    /// Whether the page has no text block.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether the page has enough text to say something about a parameter.
    pub fn is_telling(&self) -> bool {
        self.weight() >= TELLING_WEIGHT
    }

    /// Compares two pages with one base URL. Two `editions` of a page (for print, for mobile
    /// devices) have equal content if one has all the text of the other: the smaller edition has
    /// no comments and no sidebar.
    pub fn compare(&self, other: &Self, editions: bool) -> Similarity {
        let overlap = if editions {
            self.containment(other)
        } else {
            self.overlap(other)
        };
        if self.title == other.title && overlap >= SAME_OVERLAP {
            Similarity::Same
        } else if overlap < DIFFERENT_OVERLAP {
            Similarity::Different
        } else {
            Similarity::Unclear
        }
    }

    /// The hashes of the blocks.
    pub(crate) fn block_hashes(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|(hash, _)| *hash)
    }

    /// A hash of title and blocks.
    pub(crate) fn content_hash(&self) -> u64 {
        let blocks = self.blocks.iter().map(|(hash, _)| *hash);
        let mixed = blocks.fold(u64::from(self.title), |hash, block| {
            (hash ^ u64::from(block))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(23)
        });
        mixed ^ (mixed >> 32)
    }

    /// The weight of the blocks that both have, as a share of the weight of all their blocks.
    fn overlap(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.weight() + other.weight() - shared;
        if all == 0 {
            return 1.0;
        }
        f64::from(shared) / f64::from(all)
    }

    /// The weight of the blocks that both have: of each the lower one.
    fn shared(&self, other: &Self) -> u32 {
        let (mut mine, mut theirs) = (
            self.blocks.iter().peekable(),
            other.blocks.iter().peekable(),
        );
        let mut shared = 0_u32;
        while let (Some((a, weight)), Some((b, other))) = (mine.peek(), theirs.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(mine.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += u32::from(*weight.min(other));
                    mine.next();
                    theirs.next();
                }
            }
        }
        shared
    }

    /// The weight of the blocks that both have, as a share of the weight of the page with less
    /// text: 1.0 if all its blocks are on the other page.
    fn containment(&self, other: &Self) -> f64 {
        let least = self.weight().min(other.weight());
        if least == 0 {
            return 1.0;
        }
        f64::from(self.shared(other)) / f64::from(least)
    }

    /// Encodes the signature. A page without text blocks gives no bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut bytes = Vec::with_capacity(TITLE_BYTES + BLOCK_BYTES * self.blocks.len());
        bytes.extend(self.title.to_le_bytes());
        for (hash, weight) in &self.blocks {
            bytes.extend(hash.to_le_bytes());
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    /// Decodes a signature.
    ///
    /// # Errors
    /// [`SignatureError`] if [`to_bytes`](Self::to_bytes) cannot have made the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SignatureError> {
        let wrong = SignatureError(bytes.len());
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let (title, rest) = bytes.split_first_chunk::<TITLE_BYTES>().ok_or(wrong)?;
        let (blocks, rest) = rest.as_chunks::<BLOCK_BYTES>();
        if !rest.is_empty() || blocks.is_empty() {
            return Err(wrong);
        }
        let blocks = blocks.iter().map(|[a, b, c, d, low, high]| {
            let hash = u32::from_le_bytes([*a, *b, *c, *d]);
            (hash, u16::from_le_bytes([*low, *high]))
        });
        Ok(Self {
            title: u32::from_le_bytes(*title),
            blocks: blocks.collect(),
        })
    }

    fn weight(&self) -> u32 {
        self.blocks
            .iter()
            .map(|(_, weight)| u32::from(*weight))
            .sum()
    }
}

/// The characters of a block that are not link text, and a share of the others.
fn text_weight(block: &TextBlock) -> u32 {
    // Blocks have less than 2^32 characters: the limit of a page is lower.
    let chars = u32::try_from(block.text.chars().count()).unwrap_or(u32::MAX);
    let unlinked = chars.saturating_sub(block.link_chars);
    unlinked + block.link_chars.min(chars) / LINK_CHARS_PER_CHAR
}

/// The share of a page's text in each DOM path.
///
/// The paragraphs of an article have one path, which holds most of the text. Teasers and boxes
/// beside it change from one fetch to the next, and have other paths.
struct PathShares {
    /// Sums by path.
    sums: Vec<u64>,
    /// The path of each block, as an index.
    paths: Vec<usize>,
}

impl PathShares {
    fn new<'a>(blocks: impl Iterator<Item = &'a TextBlock>) -> Self {
        // Blocks with equal paths share one allocation, so a path is compared by its address.
        let mut known: Vec<*const u8> = Vec::new();
        let (mut sums, mut paths): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut last = 0;
        for block in blocks {
            let address = block.dom_path.as_ptr();
            if known.get(last) != Some(&address) {
                let recent = known.len().saturating_sub(MAX_PATHS)..known.len();
                let found = recent.rev().find(|path| known[*path] == address);
                last = found.unwrap_or_else(|| {
                    known.push(address);
                    sums.push(0);
                    known.len() - 1
                });
            }
            // Bytes are close enough for a share, and cost nothing to count.
            let unlinked = block.text.len().saturating_sub(block.link_chars as usize);
            sums[last] += unlinked as u64;
            paths.push(last);
        }
        Self { sums, paths }
    }

    /// The share of each block's path.
    fn of_blocks(&self) -> impl Iterator<Item = f32> {
        let all = self.sums.iter().sum::<u64>().max(1) as f32;
        self.paths
            .iter()
            .map(move |path| self.sums[*path] as f32 / all)
    }
}

/// The heaviest blocks of a page, heaviest first. Of two equally heavy blocks the first counts.
#[derive(Default)]
struct Heaviest<'a> {
    blocks: Vec<(u16, &'a TextBlock)>,
}

impl<'a> Heaviest<'a> {
    /// Adds a block, weighed with the share of its path.
    fn add(&mut self, block: &'a TextBlock, share: f32) {
        let lightest = match self.blocks.last() {
            Some((lightest, _)) if self.blocks.len() == MAX_BLOCKS => *lightest,
            _ => 0,
        };
        // No block weighs more than it has bytes, so most are not counted.
        if (block.text.len() as f32 * share) < f32::from(lightest) {
            return;
        }
        let weight = (text_weight(block) as f32 * share).clamp(1.0, f32::from(u16::MAX)) as u16;
        if weight <= lightest {
            return;
        }
        self.blocks.truncate(MAX_BLOCKS - 1);
        let at = self.blocks.partition_point(|(other, _)| *other >= weight);
        self.blocks.insert(at, (weight, block));
    }
}

/// Hashes the letters and digits of a block.
fn hash(block: &TextBlock) -> u32 {
    letters_and_digits(block.hash, &block.text)
}

/// Hashes the letters and digits of a title.
fn title_hash(title: &str) -> u32 {
    letters_and_digits(block_hash(title), title)
}

/// FNV-1a over the hash of a text's letters, then its digits.
fn letters_and_digits(letters: [u8; 16], text: &str) -> u32 {
    /// Bytes that are skipped at once if none is a digit: most of a text has none.
    const SKIPPED: usize = 32;
    let add = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = letters.iter().fold(0x811c_9dc5, add);
    text.as_bytes().chunks(SKIPPED).fold(hash, |hash, bytes| {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        // Without a branch per byte, so that the compiler compares many at once.
        if bytes.iter().fold(false, |any, byte| any | is_digit(byte)) {
            bytes.iter().filter(|byte| is_digit(byte)).fold(hash, add)
        } else {
            hash
        }
    })
}

#[cfg(test)]
mod tests {
    use html_blocks::BlockOptions;

    use super::*;

    const STORY: &str = "The council has found the money for a new bridge over the river, and work \
        on it begins in the spring, said the mayor on Monday evening after the meeting.";
    const OTHER: &str = "A bakery that has been in one family for four generations closes its doors \
        at the end of the month, because nobody in town wants to get up that early any more.";

    fn signature(html: &str) -> Signature {
        Signature::new(&html_blocks::page(html.as_bytes(), None, &BlockOptions::default()).unwrap())
    }

    fn page(title: &str, text: &str, sidebar: &str) -> Signature {
        let links = "<ul><li><a href=/1>Most read of the day</a><li><a href=/2>Weather</a></ul>";
        signature(&format!(
            "<title>{title}</title><nav>{sidebar}</nav>{links}<p>{text}</p><p>{text} Again.</p>"
        ))
    }

    #[test]
    fn navigation_and_typography_do_not_change_the_content() {
        let story = page("Bridge", STORY, "Home");
        let copy = page(
            "BRIDGE!",
            &STORY.replace(',', " -"),
            "A sidebar of this minute",
        );
        assert_eq!(story.compare(&copy, false), Similarity::Same);
        assert!(story.is_telling());
    }

    #[test]
    fn a_title_or_a_digit_makes_another_page() {
        let story = page("Bridge", STORY, "");
        assert_eq!(
            story.compare(&page("Bridge 2", STORY, ""), false),
            Similarity::Unclear
        );
        let day = |day: u32| page("Calendar", &format!("Events on day {day}: {STORY}"), "");
        assert_eq!(day(1).compare(&day(1), false), Similarity::Same);
        assert_eq!(day(1).compare(&day(2), false), Similarity::Different);
        assert_eq!(
            story.compare(&page("Bridge", OTHER, ""), false),
            Similarity::Different
        );
    }

    #[test]
    fn a_small_edition_has_the_content_of_the_page() {
        let small = signature(&format!("<title>Bridge</title><p>{STORY}</p>"));
        let page = signature(&format!(
            "<title>Bridge</title><p>{STORY}</p><p>{OTHER}</p>"
        ));
        assert_eq!(page.compare(&small, true), Similarity::Same);
        assert_eq!(page.compare(&small, false), Similarity::Different);
    }

    #[test]
    fn a_signature_has_at_most_sixteen_blocks_and_is_read_back() {
        let blocks: String = (b'a'..=b'z')
            .map(|letter| format!("<p>{}</p>", char::from(letter).to_string().repeat(50)))
            .collect();
        for html in ["", "<p>x</p>", &format!("<title>T</title>{blocks}")] {
            let page = html_blocks::page(html.as_bytes(), None, &BlockOptions::default());
            let Ok(page) = page else { continue };
            let signature = Signature::new(&page);
            let bytes = signature.to_bytes();
            assert!(bytes.len() <= TITLE_BYTES + MAX_BLOCKS * BLOCK_BYTES);
            assert_eq!(Signature::from_bytes(&bytes), Ok(signature));
        }
        assert!(Signature::from_bytes(&[]).unwrap().is_empty());
        for length in [1, 4, 9, 11] {
            assert!(Signature::from_bytes(&vec![7; length]).is_err(), "{length}");
        }
    }
}

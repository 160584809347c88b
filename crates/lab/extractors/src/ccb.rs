//! Content code blurring.
//!
//! T. Gottron: "Content Code Blurring: A New Approach to Content Extraction",
//! DEXA workshops 2008, pp. 29-33, as section 2.2.4 of the thesis describes
//! it, in its variant on characters.
//!
//! 1. The *content code vector* has an entry for each character of the source: 1
//!    for text, 0 for tags. (The thesis uses the opposite values, which has no other
//!    effect.)
//! 2. The vector is blurred. In each of several passes, an entry becomes the mean of the
//!    entries within a radius, weighted by a Gaussian.
//! 3. A character of text is content if its entry is at least a fixed threshold: if it is
//!    far from code, or there is little code around it.
//!
//! The description leaves some points open. They are decided from general knowledge of
//! the method or chosen here:
//!
//! - Radius 40, threshold 0.75, and three passes; the standard deviation is a
//!   third of the radius.
//! - Scripts, style sheets, comments, `noscript`, `title` and whitespace between two tags
//!   have no entries. Other whitespace is text.
//! - Beyond its ends the vector is extended with its first and its last entry.
//! - A word is kept if most of its characters are content, so that content does not begin
//!   in the middle of a word.

use crate::source::{KeptSource, Piece, Pieces};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

const RADIUS: usize = 40;
const PASSES: usize = 3;
const THRESHOLD: f32 = 0.75;

/// Keeps text with few tags around it. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct ContentCodeBlurring;

impl Extractor for ContentCodeBlurring {
    fn name(&self) -> &'static str {
        "ccb"
    }

    fn summary(&self) -> &'static str {
        "text where a blurred vector of content and code is mostly content"
    }

    fn reference(&self) -> &'static str {
        "T. Gottron: Content Code Blurring: A New Approach to Content Extraction. \
         DEXA workshops 2008, pp. 29-33"
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        let pieces: Vec<Piece<'_>> = Pieces::new(page.html())
            .filter(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()))
            .collect();
        if !pieces.iter().any(|piece| matches!(piece, Piece::Text(_))) {
            return Err(ExtractError::NoText);
        }
        let mut vector = content_code_vector(&pieces);
        let kernel = kernel();
        for _ in 0..PASSES {
            vector = blurred(&vector, &kernel);
        }
        Ok(Extraction::new(kept(&pieces, &vector), None))
    }
}

/// Step 1: the content code vector.
fn content_code_vector(pieces: &[Piece<'_>]) -> Vec<f32> {
    let mut vector = Vec::new();
    for piece in pieces {
        let (source, entry) = match piece {
            Piece::Tag { source, .. } => (source, 0.0),
            Piece::Text(text) => (text, 1.0),
        };
        vector.extend(std::iter::repeat_n(entry, source.chars().count()));
    }
    vector
}

/// Returns the weights for distances from 0 to the radius. The weights of both sides and
/// the centre sum to 1.
fn kernel() -> [f32; RADIUS + 1] {
    let deviation = RADIUS as f32 / 3.0;
    let mut kernel = [0.0; RADIUS + 1];
    for (distance, weight) in kernel.iter_mut().enumerate() {
        *weight = (-0.5 * (distance as f32 / deviation).powi(2)).exp();
    }
    let sum = kernel[0] + 2.0 * kernel[1..].iter().sum::<f32>();
    kernel.map(|weight| weight / sum)
}

/// Step 2: one pass of blurring.
fn blurred(vector: &[f32], kernel: &[f32; RADIUS + 1]) -> Vec<f32> {
    let (Some(first), Some(last)) = (vector.first(), vector.last()) else {
        return Vec::new();
    };
    let mut wide = vec![*first; RADIUS];
    wide.extend_from_slice(vector);
    wide.extend(std::iter::repeat_n(*last, RADIUS));
    let mut blurred = vec![0.0; vector.len()];
    // The inner loop runs over the whole vector for one weight, so that it vectorises.
    for offset in 0..=2 * RADIUS {
        let weight = kernel[offset.abs_diff(RADIUS)];
        for (entry, neighbour) in blurred.iter_mut().zip(&wide[offset..]) {
            *entry += weight * neighbour;
        }
    }
    blurred
}

/// Step 3: the text whose entries reach the threshold.
fn kept(pieces: &[Piece<'_>], vector: &[f32]) -> String {
    let mut kept = KeptSource::default();
    let mut at = 0;
    for piece in pieces {
        match piece {
            Piece::Tag { name, source } => {
                kept.tag(name);
                at += source.chars().count();
            }
            Piece::Text(text) => {
                for word in text.split_inclusive(char::is_whitespace) {
                    let entries = &vector[at..at + word.chars().count()];
                    let content = entries.iter().filter(|entry| **entry >= THRESHOLD);
                    if 2 * content.count() > entries.len() {
                        kept.text(word);
                    }
                    at += entries.len();
                }
            }
        }
    }
    kept.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vector_has_an_entry_for_each_character() {
        let pieces: Vec<Piece<'_>> = Pieces::new("<b>é!</b>").collect();
        let expected = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(content_code_vector(&pieces), expected);
    }

    #[test]
    fn blurring_keeps_constant_entries_and_smooths_an_edge() {
        let kernel = kernel();
        let even = blurred(&[1.0; 100], &kernel);
        assert!(even.iter().all(|entry| (entry - 1.0).abs() < 1e-5));
        let mut edge = vec![0.0; 100];
        edge.extend([1.0; 100]);
        let edge = blurred(&edge, &kernel);
        // Half of the weight is on each side, without the weight of the entry itself.
        assert!((edge[100] - 0.5 - kernel[0] / 2.0).abs() < 1e-5);
        assert!(edge[59].abs() < 1e-6 && (edge[140] - 1.0).abs() < 1e-5);
        assert!(edge.is_sorted());
    }

    #[test]
    fn text_among_tags_is_dropped_and_other_text_kept() {
        let menu = "<li><a href='/one/two'>Home</a></li>".repeat(10);
        let story = "Tea is a drink made of leaves. ".repeat(12);
        let html = format!("<ul>{menu}</ul><div>{story}</div><ul>{menu}</ul>");
        let page = Page::new("", &html);
        let extraction = ContentCodeBlurring.extract(&page, &Site::default());
        let text = extraction.expect("there is text").text;
        assert!(!text.contains("Home"), "{text}");
        // Only text near the edges is lost.
        assert!(text.matches("drink made of leaves").count() >= 9, "{text}");
    }
}

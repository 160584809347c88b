//! Content extraction via tag ratios.
//!
//! T. Weninger, W. H. Hsu, J. Han: "CETR: Content Extraction via Tag Ratios", WWW
//! 2010, pp. 971-980, and T. Weninger, W. H. Hsu: "Text Extraction from the Web
//! via Text-to-Tag Ratio", DEXA workshops 2008. Algorithm 1 and the threshold follow
//! section 2.2.4 of the thesis; the smoothing and the model in two dimensions are from
//! general knowledge of the paper of 2010.
//!
//! 1. The *tag ratio* of a line of source, algorithm 1, is the number of characters
//!    outside tags over the number of tags, or the number of characters if there is no
//!    tag. Scripts, comments and empty lines are removed first.
//! 2. The ratios are smoothed with a Gaussian kernel of radius 1 and standard
//!    deviation 1: weights .274, .452, .274.
//! 3. [`Cetr`]: a line is content if its smoothed ratio is at least the standard
//!    deviation of the smoothed ratios (the factor of the threshold is 1).
//!    [`CetrClusters`]: a line is a point with two coordinates, its smoothed ratio and
//!    the absolute smoothed *derivative*, which is the mean of the next three ratios
//!    minus its own. The points are clustered by k-means into three clusters, one of
//!    which has its centre fixed at the origin. Lines in the other two are content.
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - Characters are those of the source, with character references not decoded and
//!   whitespace around the line removed. Characters of all scripts count; algorithm 1
//!   counts ASCII, and would find nothing on a Japanese page.
//! - `style`, `noscript` and `title` are removed like scripts.
//! - A tag counts in the line in which it begins. A `<` that does not begin a tag is
//!   text.
//! - Near the ends, the weights of the kernel that are outside are left out and the rest
//!   is scaled to a sum of 1. A derivative near the end is the mean of the remaining
//!   ratios, and 0 for the last line.
//! - Of the two free centres, the first starts at the point farthest from the origin and
//!   the second at the point farthest from both others. A cluster without points keeps
//!   its centre. Ties go to the origin. There are at most 100 rounds.
//! - Kept lines are joined into text blocks according to the tags between them. A page
//!   in one line is kept whole.

use crate::source::{KeptSource, Piece, Pieces};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

const REFERENCE: &str = "T. Weninger, W. H. Hsu, J. Han: CETR: Content Extraction via Tag Ratios. \
                         WWW 2010, pp. 971-980";
/// The number of following lines in a derivative.
const AHEAD: usize = 3;
/// The most rounds of k-means.
const ROUNDS: usize = 100;

/// Keeps lines whose tag ratio reaches a threshold. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Cetr;

/// Clusters lines by tag ratio and derivative. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct CetrClusters;

impl Extractor for Cetr {
    fn name(&self) -> &'static str {
        "cetr"
    }

    fn summary(&self) -> &'static str {
        "lines of source whose text-to-tag ratio is above the standard deviation"
    }

    fn reference(&self) -> &'static str {
        REFERENCE
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        extract(page, over_threshold)
    }
}

impl Extractor for CetrClusters {
    fn name(&self) -> &'static str {
        "cetr-km"
    }

    fn summary(&self) -> &'static str {
        "lines of source outside the cluster of low text-to-tag ratios"
    }

    fn reference(&self) -> &'static str {
        REFERENCE
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        extract(page, away_from_origin)
    }
}

/// A line of source.
#[derive(Debug, Default)]
struct SourceLine<'a> {
    pieces: Vec<Piece<'a>>,
    chars: usize,
    tags: usize,
}

impl SourceLine<'_> {
    fn ratio(&self) -> f64 {
        self.chars as f64 / self.tags.max(1) as f64
    }
}

fn extract(page: &Page<'_>, content: fn(&[f64]) -> Vec<bool>) -> Result<Extraction, ExtractError> {
    let lines = lines(page.html());
    if lines.iter().all(|line| line.chars == 0) {
        return Err(ExtractError::NoText);
    }
    let ratios: Vec<f64> = lines.iter().map(SourceLine::ratio).collect();
    let content = content(&smoothed(&ratios));
    let mut kept = KeptSource::default();
    for (line, content) in lines.iter().zip(content) {
        for piece in &line.pieces {
            match piece {
                Piece::Tag { name, .. } => kept.tag(name),
                Piece::Text(text) if content => kept.text(text),
                Piece::Text(_) => {}
            }
        }
        // The pieces do not have their line ends.
        kept.text(" ");
    }
    Ok(Extraction::new(kept.finish(), None))
}

/// Splits the source into lines that are not empty.
fn lines(html: &str) -> Vec<SourceLine<'_>> {
    let mut lines = Vec::new();
    let mut line = SourceLine::default();
    for piece in Pieces::new(html) {
        match piece {
            Piece::Tag { source, .. } => {
                line.pieces.push(piece);
                line.tags += 1;
                if source.contains('\n') {
                    lines.push(std::mem::take(&mut line));
                }
            }
            Piece::Text(text) => {
                for (number, part) in text.split('\n').enumerate() {
                    if number > 0 {
                        lines.push(std::mem::take(&mut line));
                    }
                    line.chars += part.trim().chars().count();
                    line.pieces.push(Piece::Text(part));
                }
            }
        }
    }
    lines.push(line);
    lines.retain(|line| line.chars + line.tags > 0);
    lines
}

/// Step 2: smoothing.
fn smoothed(ratios: &[f64]) -> Vec<f64> {
    let side = (-0.5_f64).exp();
    (0..ratios.len())
        .map(|at| {
            let before = at.checked_sub(1).map(|at| ratios[at]);
            let neighbours = before.into_iter().chain(ratios.get(at + 1).copied());
            let (sum, weight) = neighbours.fold((ratios[at], 1.0), |(sum, weight), ratio| {
                (sum + side * ratio, weight + side)
            });
            sum / weight
        })
        .collect()
}

fn over_threshold(ratios: &[f64]) -> Vec<bool> {
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / count;
    let threshold = variance.sqrt();
    ratios.iter().map(|ratio| *ratio >= threshold).collect()
}

type Point = [f64; 2];

fn away_from_origin(ratios: &[f64]) -> Vec<bool> {
    let slopes = smoothed(&derivatives(ratios));
    let points: Vec<Point> = ratios
        .iter()
        .zip(slopes)
        .map(|(ratio, slope)| [*ratio, slope.abs()])
        .collect();
    let farthest = |centres: &[Point]| {
        let distance = |point: &Point| {
            centres
                .iter()
                .map(|centre| squared_distance(point, centre))
                .fold(f64::INFINITY, f64::min)
        };
        // Of equally distant points the first.
        points
            .iter()
            .copied()
            .reduce(|far, point| {
                if distance(&point) > distance(&far) {
                    point
                } else {
                    far
                }
            })
            .unwrap_or_default()
    };
    let origin = [0.0; 2];
    let second = farthest(&[origin]);
    let mut centres = [origin, second, farthest(&[origin, second])];
    let mut clusters = vec![0; points.len()];
    for _ in 0..ROUNDS {
        let nearest: Vec<usize> = points
            .iter()
            .map(|point| closest(point, &centres))
            .collect();
        let converged = nearest == clusters;
        clusters = nearest;
        for (number, centre) in centres.iter_mut().enumerate().skip(1) {
            if let Some(mean) = mean_of(&points, &clusters, number) {
                *centre = mean;
            }
        }
        if converged {
            break;
        }
    }
    clusters.iter().map(|cluster| *cluster != 0).collect()
}

fn derivatives(ratios: &[f64]) -> Vec<f64> {
    (0..ratios.len())
        .map(|at| {
            let next = &ratios[at + 1..ratios.len().min(at + 1 + AHEAD)];
            match next.len() {
                0 => 0.0,
                count => next.iter().sum::<f64>() / count as f64 - ratios[at],
            }
        })
        .collect()
}

fn squared_distance(a: &Point, b: &Point) -> f64 {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}

fn closest(point: &Point, centres: &[Point; 3]) -> usize {
    let mut closest = 0;
    for number in 1..centres.len() {
        if squared_distance(point, &centres[number]) < squared_distance(point, &centres[closest]) {
            closest = number;
        }
    }
    closest
}

fn mean_of(points: &[Point], clusters: &[usize], number: usize) -> Option<Point> {
    let mut sum = [0.0; 2];
    let mut count = 0.0;
    for (point, _) in points.iter().zip(clusters).filter(|(_, c)| **c == number) {
        sum = [sum[0] + point[0], sum[1] + point[1]];
        count += 1.0;
    }
    (count > 0.0).then(|| [sum[0] / count, sum[1] / count])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
    }

    #[test]
    fn a_ratio_is_characters_over_tags_of_a_line() {
        let html = "<p>four</p>\n\n  sixsix  \n<br><br>to<!-- no\nline -->\n<script>x\n</script>";
        let ratios: Vec<f64> = lines(html).iter().map(SourceLine::ratio).collect();
        // 4 characters and 2 tags; 6 and 0; 2 and 2; the rest is empty.
        close(&ratios, &[2.0, 6.0, 1.0]);
    }

    #[test]
    fn smoothing_weighs_neighbours_by_a_gaussian() {
        // exp(-1/2) = 0.6065; inside, 1 / (1 + 2 * 0.6065) = 0.4519 and 0.2741.
        close(&smoothed(&[0.0, 10.0, 0.0]), &[3.775, 4.519, 3.775]);
        close(&smoothed(&[7.0]), &[7.0]);
    }

    #[test]
    fn the_threshold_is_the_standard_deviation() {
        // Mean 25, deviation sqrt((3 * 25^2 + 75^2) / 4) = 43.3.
        let content = over_threshold(&[0.0, 0.0, 100.0, 0.0]);
        assert_eq!(content, [false, false, true, false]);
        let content = over_threshold(&[40.0, 44.0, 100.0, 0.0]);
        // Mean 46, deviation sqrt((36 + 4 + 2916 + 2116) / 4) = 35.6.
        assert_eq!(content, [true, true, true, false]);
    }

    #[test]
    fn derivatives_look_three_lines_ahead() {
        // (3 + 6 + 9) / 3 - 0, (6 + 9 + 0) / 3 - 3, (9 + 0) / 2 - 6, 0 - 9, nothing.
        close(
            &derivatives(&[0.0, 3.0, 6.0, 9.0, 0.0]),
            &[6.0, 2.0, -1.5, -9.0, 0.0],
        );
    }

    #[test]
    fn the_cluster_at_the_origin_is_not_content() {
        let ratios = [
            1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 80.0, 90.0, 85.0, 1.0, 2.0, 1.0, 1.0, 1.0,
        ];
        let content = away_from_origin(&smoothed(&ratios));
        assert_eq!(content[7..10], [true; 3]);
        assert_eq!(content[..4], [false; 4]);
        assert_eq!(content[12..], [false; 3]);
    }

    #[test]
    fn equal_lines_are_one_cluster_away_from_the_origin() {
        assert_eq!(away_from_origin(&[5.0; 4]), [true; 4]);
        assert_eq!(away_from_origin(&[0.0; 4]), [false; 4]);
    }
}

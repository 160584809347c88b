//! The character models of NCleaner.

use std::collections::BTreeMap;

/// Normalised characters: the printable ones of ASCII.
const SYMBOLS: usize = 95;

/// The factor of the geometric interpolation: the weight of a history over that of one with a
/// character more. It is the default of the published package.
const Q: f64 = 0.6;

/// Levels per doubling of a count in a model file.
const LEVELS: f64 = 4.0;

/// The length of a trigram.
const N: usize = 3;

/// The units of a score: 1/256 bit.
pub(super) const BIT: f64 = 256.0;

/// How characters are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Characters beyond ASCII become `~`.
    Lexical,
    /// Letters become `a` and digits `0`; other characters beyond ASCII become `~`.
    NonLexical,
}

impl Characters {
    /// Returns the symbols of a segment: its characters between a space at either end. Runs of
    /// whitespace and of control characters are one space.
    fn symbols(self, segment: &str) -> Vec<u8> {
        let mut symbols = vec![0];
        for character in segment.chars() {
            let normalised = match character {
                c if c.is_whitespace() || c.is_control() => ' ',
                c if self == Self::NonLexical && c.is_alphabetic() => 'a',
                c if self == Self::NonLexical && c.is_numeric() => '0',
                c if c.is_ascii() => c,
                _ => '~',
            };
            let symbol = u8::try_from(normalised).map_or(0, |byte| byte - b' ');
            if symbol != 0 || symbols.last() != Some(&0) {
                symbols.push(symbol);
            }
        }
        symbols
    }
}

/// Counts of trigrams of symbols.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrigramCounts(BTreeMap<[u8; N], f64>);

impl TrigramCounts {
    /// Counts the trigrams of a segment. The first character follows two spaces.
    pub fn add(&mut self, characters: Characters, segment: &str) {
        for trigram in trigrams(&characters.symbols(segment)) {
            *self.0.entry(trigram).or_default() += 1.0;
        }
    }

    /// Removes rare trigrams. A model without them is smaller.
    pub fn remove_below(&mut self, least: f64) {
        self.0.retain(|_, count| *count >= least);
    }
}

fn trigrams(symbols: &[u8]) -> impl Iterator<Item = [u8; N]> {
    let symbol = |at: usize| symbols.get(at).copied().unwrap_or(0);
    // The first symbol is the space before the segment; another one is before it.
    (1..symbols.len()).map(move |at| {
        [
            if at == 1 { 0 } else { symbol(at - 2) },
            symbol(at - 1),
            symbol(at),
        ]
    })
}

/// Two models: of content and of other text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Models {
    /// The trigrams of content.
    pub clean: TrigramCounts,
    /// The trigrams of other text.
    pub dirty: TrigramCounts,
}

impl Models {
    /// Reads two models: lines `clean` and `dirty` before the counts of each. A line of
    /// counts is a history of two characters, and each character that follows it with a level
    /// `l` from `!` on, for a count of 2 to the power of `l` / 4. Lines before `clean` are
    /// comments. Returns `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (_, text) = text.split_once("\nclean\n")?;
        let (clean, dirty) = text.split_once("\ndirty\n")?;
        Some(Self {
            clean: parse_counts(clean)?,
            dirty: parse_counts(dirty)?,
        })
    }

    /// Returns the models as text for [`parse`](Self::parse), after a comment.
    #[must_use]
    pub fn to_text(&self, comment: &str) -> String {
        let counts = |counts: &TrigramCounts| {
            let mut lines: Vec<String> = Vec::new();
            let mut history = None;
            for (trigram, count) in &counts.0 {
                let [a, b, c] = trigram.map(|symbol| char::from(symbol + b' '));
                if history.replace((a, b)) != Some((a, b)) {
                    lines.push(format!("{a}{b}"));
                }
                let level = (count.log2() * LEVELS).round().clamp(0.0, 93.0);
                if let Some(line) = lines.last_mut() {
                    line.push(c);
                    line.push(char::from(level as u8 + b'!'));
                }
            }
            lines.join("\n")
        };
        format!(
            "{}\nclean\n{}\ndirty\n{}\n",
            comment.trim_end(),
            counts(&self.clean),
            counts(&self.dirty)
        )
    }
}

fn parse_counts(text: &str) -> Option<TrigramCounts> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let symbol = |byte: u8| byte.checked_sub(b' ').filter(|s| usize::from(*s) < SYMBOLS);
        let (history, followers) = line.as_bytes().split_at_checked(2)?;
        let (pairs, rest) = followers.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        for [character, level] in pairs {
            let trigram = [
                symbol(history[0])?,
                symbol(history[1])?,
                symbol(*character)?,
            ];
            let level = f64::from(level.checked_sub(b'!')?);
            counts.insert(trigram, (level / LEVELS).exp2());
        }
    }
    Some(TrigramCounts(counts))
}

/// Scores of trigrams: by how many bits the last character is likelier in content.
#[derive(Debug)]
pub(super) struct Scores {
    characters: Characters,
    /// By trigram, in 1/256 bit.
    table: Vec<i16>,
}

impl Scores {
    pub(super) fn new(models: &Models, characters: Characters) -> Self {
        let [clean, dirty] = [&models.clean, &models.dirty].map(Probabilities::new);
        let mut table = Vec::with_capacity(SYMBOLS * SYMBOLS * SYMBOLS);
        for a in 0..SYMBOLS {
            for b in 0..SYMBOLS {
                for c in 0..SYMBOLS {
                    let bits = clean.of(a, b, c).log2() - dirty.of(a, b, c).log2();
                    table.push((bits * BIT).round() as i16);
                }
            }
        }
        Self { characters, table }
    }

    /// The mean score of the characters of a segment, in 1/256 bit: the cross-entropy of the
    /// segment under the model of other text, less that under the model of content.
    pub(super) fn mean(&self, segment: &str) -> f64 {
        let symbols = self.characters.symbols(segment);
        let mut sum = 0_i64;
        let mut count = 0_u32;
        for trigram in trigrams(&symbols) {
            let [a, b, c] = trigram.map(usize::from);
            sum += i64::from(self.table[index(a, b, c)]);
            count += 1;
        }
        sum as f64 / f64::from(count.max(1))
    }
}

fn index(a: usize, b: usize, c: usize) -> usize {
    (a * SYMBOLS + b) * SYMBOLS + c
}

/// The probabilities of one model.
struct Probabilities {
    /// Shares of the last character by trigrams, pairs and characters.
    trigrams: Vec<f32>,
    pairs: Vec<f32>,
    characters: Vec<f32>,
}

impl Probabilities {
    fn new(counts: &TrigramCounts) -> Self {
        let mut trigrams = vec![0.0_f64; SYMBOLS * SYMBOLS * SYMBOLS];
        let mut pairs = vec![0.0; SYMBOLS * SYMBOLS];
        // Add-one smoothing: every character has a probability.
        let mut characters = vec![1.0; SYMBOLS];
        for (trigram, count) in &counts.0 {
            let [a, b, c] = trigram.map(usize::from);
            trigrams[index(a, b, c)] += count;
            pairs[b * SYMBOLS + c] += count;
            characters[c] += count;
        }
        Self {
            trigrams: shares(&trigrams),
            pairs: shares(&pairs),
            characters: shares(&characters),
        }
    }

    /// The probability of a character after two others: interpolated between the histories of
    /// two, one and no character with the weights 1, q and q².
    fn of(&self, a: usize, b: usize, c: usize) -> f64 {
        let shares = [
            self.trigrams[index(a, b, c)],
            self.pairs[b * SYMBOLS + c],
            self.characters[c],
        ];
        let weights = [1.0, Q, Q * Q];
        let sum: f64 = (shares.iter().zip(weights))
            .map(|(share, weight)| f64::from(*share) * weight)
            .sum();
        sum / weights.iter().sum::<f64>()
    }
}

/// Divides the counts after each history by their sum; 0 after an unknown history.
fn shares(counts: &[f64]) -> Vec<f32> {
    let mut shares = Vec::with_capacity(counts.len());
    for after in counts.chunks(SYMBOLS) {
        let sum: f64 = after.iter().sum();
        shares.extend(
            after
                .iter()
                .map(|count| (count / sum.max(f64::MIN_POSITIVE)) as f32),
        );
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(symbols: &[u8]) -> String {
        symbols.iter().map(|s| char::from(s + b' ')).collect()
    }

    #[test]
    fn characters_are_normalised() {
        let segment = "Tea \u{a0}\tfür 2 €!";
        assert_eq!(text(&Characters::Lexical.symbols(segment)), " Tea f~r 2 ~!");
        let normalised = text(&Characters::NonLexical.symbols(segment));
        assert_eq!(normalised, " aaa aaa 0 ~!");
        // The alphabet is of no importance to a model without letters.
        assert_eq!(text(&Characters::NonLexical.symbols("Чай, ٣")), " aaa, 0");
    }

    #[test]
    fn a_character_follows_the_two_before_it() {
        let trigrams: Vec<String> = trigrams(&Characters::Lexical.symbols("abc"))
            .map(|trigram| text(&trigram))
            .collect();
        assert_eq!(trigrams, ["  a", " ab", "abc"]);
    }

    #[test]
    fn probabilities_are_interpolated() {
        let mut counts = TrigramCounts::default();
        counts.add(Characters::Lexical, "ab");
        counts.add(Characters::Lexical, "ac");
        let model = Probabilities::new(&counts);
        let [space, a, b, d] = [' ', 'a', 'b', 'd'].map(|c| c as usize - 32);
        let norm = 1.0 + 0.6 + 0.36;
        // After " a" half of the characters are b, after "a" too; b is one of four characters
        // that were seen, with 1 added to it and to each of the 95.
        let expected = (0.5 + 0.6 * 0.5 + 0.36 * 2.0 / 99.0) / norm;
        assert!((model.of(space, a, b) - expected).abs() < 1e-6);
        // An unseen character after an unseen history.
        let expected = (0.36 * 1.0 / 99.0) / norm;
        assert!((model.of(d, d, d) - expected).abs() < 1e-6);
    }

    #[test]
    fn a_score_is_the_mean_difference_in_bits() {
        let mut models = Models::default();
        models.clean.add(Characters::Lexical, "a");
        models.dirty.add(Characters::Lexical, "b");
        let scores = Scores::new(&models, Characters::Lexical);
        // Clean: 1 + .6 + .36 * 2/96; dirty: .36 * 1/96.
        let bits = ((1.6 + 0.36 * 2.0 / 96.0) / (0.36 / 96.0_f64)).log2();
        assert!((scores.mean("a") / BIT - bits).abs() < 0.01);
        assert!((scores.mean("b") / BIT + bits).abs() < 0.01);
    }

    #[test]
    fn a_model_is_written_and_read() {
        let mut models = Models::default();
        for _ in 0..16 {
            models.clean.add(Characters::Lexical, "#x y~");
        }
        models.dirty.add(Characters::Lexical, "| Home |");
        let text = models.to_text("# A comment.\n");
        assert_eq!(Models::parse(&text), Some(models.clone()));
        models.clean.remove_below(17.0);
        assert_eq!(models.clean, TrigramCounts::default());
        for broken in [
            "",
            "clean\n",
            "\nclean\nab!\ndirty\n",
            "\nclean\nabé\ndirty\n",
        ] {
            assert_eq!(Models::parse(broken), None, "{broken:?}");
        }
    }
}

//! The style of a text: what its letters say about it, for the prior.

/// Bytes of a text whose letters are counted. Texts have 70 on average.
const BYTES: usize = 256;

/// The style of a text: shares of its letters, its first and its last character, and signs in it. One pass over a
/// few bytes, so that every page can have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(u64);

/// Numbers of a style that the prior reads.
pub(crate) const STYLE_INPUTS: usize = SHARES + 4 + 3 + SIGNS;
/// Shares of four bits: capitals, small letters, digits, words with a capital, commas and ends of sentences a word,
/// letters a word.
const SHARES: usize = 7;
const SHARE_BITS: usize = 4;
/// Where the class of the last character, that of the first, and the signs begin.
const LAST: usize = SHARES * SHARE_BITS;
const FIRST: usize = LAST + 3;
const SIGN: usize = FIRST + 2;
const SIGNS: usize = 10;

/// Signs, one bit each.
mod sign {
    pub(super) const COPYRIGHT: u16 = 1;
    /// `|`, and bullets and arrows between links.
    pub(super) const BAR: u16 = 1 << 1;
    pub(super) const AT: u16 = 1 << 2;
    pub(super) const SLASH: u16 = 1 << 3;
    pub(super) const CURRENCY: u16 = 1 << 4;
    pub(super) const QUOTE: u16 = 1 << 5;
    /// `{`, `=`, `<`: rare outside of code.
    pub(super) const CODE: u16 = 1 << 6;
    pub(super) const QUESTION: u16 = 1 << 7;
    pub(super) const EXCLAMATION: u16 = 1 << 8;
    /// A colon after a digit.
    pub(super) const CLOCK: u16 = 1 << 9;
}

/// The contribution of one character: a count in one of six lanes of ten bits, and a sign.
#[derive(Clone, Copy)]
struct Adds {
    lane: u64,
    sign: u16,
}

const LANE: usize = 10;
const UPPER: u64 = 1;
const LOWER: u64 = 1 << LANE;
const DIGIT: u64 = 1 << (2 * LANE);
const COMMA: u64 = 1 << (3 * LANE);
const END: u64 = 1 << (4 * LANE);
const SPACE: u64 = 1 << (5 * LANE);

const ASCII: [Adds; 128] = {
    let mut table = [Adds { lane: 0, sign: 0 }; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = ascii(byte);
        byte += 1;
    }
    table
};

const fn ascii(byte: u8) -> Adds {
    let (lane, sign) = match byte {
        b'A'..=b'Z' => (UPPER, 0),
        b'a'..=b'z' => (LOWER, 0),
        b'0'..=b'9' => (DIGIT, 0),
        b',' => (COMMA, 0),
        b'.' => (END, 0),
        b'?' => (END, sign::QUESTION),
        b'!' => (END, sign::EXCLAMATION),
        b' ' | b'\n' | b'\t' => (SPACE, 0),
        b'|' => (0, sign::BAR),
        b'@' => (0, sign::AT),
        b'/' => (0, sign::SLASH),
        b'$' | b'%' => (0, sign::CURRENCY),
        b'"' => (0, sign::QUOTE),
        b'{' | b'=' | b'<' => (0, sign::CODE),
        _ => (0, 0),
    };
    Adds { lane, sign }
}

fn adds(letter: char) -> Adds {
    if let Some(adds) = ASCII.get(letter as usize) {
        return *adds;
    }
    let (lane, sign) = match letter {
        '©' => (0, sign::COPYRIGHT),
        '»' | '›' | '•' | '·' => (0, sign::BAR),
        '€' | '£' | '¥' | '₹' => (0, sign::CURRENCY),
        '“' | '«' | '„' => (0, sign::QUOTE),
        '、' | '，' => (COMMA, 0),
        '。' | '！' | '？' | '…' => (END, 0),
        _ if letter.is_uppercase() => (UPPER, 0),
        // Scripts without capitals count as small letters.
        _ if letter.is_alphabetic() => (LOWER, 0),
        _ if letter.is_numeric() => (DIGIT, 0),
        _ if letter.is_whitespace() => (SPACE, 0),
        _ => (0, 0),
    };
    Adds { lane, sign }
}

impl Style {
    /// Reads the style of a text.
    pub(crate) fn new(text: &str) -> Self {
        let head = &text[..text.floor_char_boundary(BYTES)];
        let (mut counts, mut signs, mut capitals, mut chars) = (0, 0, 0, 0_u64);
        let mut before = SPACE;
        for letter in head.chars() {
            let Adds { lane, sign } = adds(letter);
            counts += lane;
            signs |= sign;
            capitals += u64::from(lane == UPPER && before == SPACE);
            if letter == ':' && before == DIGIT {
                signs |= sign::CLOCK;
            }
            before = lane;
            chars += 1;
        }
        let count = |lane: u64| (counts / lane) & ((1 << LANE) - 1);
        let words = count(SPACE) + 1;
        let letters = count(UPPER) + count(LOWER);
        let shares = [
            share(count(UPPER), chars),
            share(count(LOWER), chars),
            share(count(DIGIT), chars),
            share(capitals, words),
            share(4 * count(COMMA), words),
            share(4 * count(END), words),
            share(letters, 15 * words),
        ];
        let mut bits = 0;
        for (at, share) in shares.into_iter().enumerate() {
            bits |= share << (at * SHARE_BITS);
        }
        bits |= last_class(text) << LAST;
        bits |= first_class(text) << FIRST;
        Style(bits | u64::from(signs) << SIGN)
    }

    /// Returns the style as a number, for [`Self::from_bits`].
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Style(bits)
    }

    /// Returns the numbers that the prior reads, each between 0 and 1.
    pub(crate) fn inputs(self) -> [f32; STYLE_INPUTS] {
        let bits = |from: usize, count: usize| (self.0 >> from & ((1 << count) - 1)) as u16;
        let is = |is: bool| f32::from(u8::from(is));
        std::array::from_fn(|at| {
            if at < SHARES {
                return f32::from(bits(at * SHARE_BITS, SHARE_BITS)) / 15.0;
            }
            match at - SHARES {
                at @ 0..4 => is(bits(LAST, 3) == at as u16 + 1),
                at @ 4..7 => is(bits(FIRST, 2) == at as u16 - 3),
                at => is(bits(SIGN + at - 7, 1) == 1),
            }
        })
    }
}

/// Returns a share in fifteenths, rounded.
fn share(part: u64, whole: u64) -> u64 {
    (15 * part + whole / 2)
        .checked_div(whole)
        .unwrap_or(0)
        .min(15)
}

/// The class of the last character before quotes and brackets: 1 for the end of a sentence, 2 for a colon, 3 for a
/// comma, 4 for a letter or a digit, 0 for others.
fn last_class(text: &str) -> u64 {
    let closing = ['"', '\'', '”', '’', '»', ')', ']', ' '];
    match text.trim_end_matches(closing).chars().next_back() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…') => 1,
        Some(':' | ';' | '：') => 2,
        Some(',' | '，') => 3,
        Some(letter) if letter.is_alphanumeric() => 4,
        _ => 0,
    }
}

/// The class of the first character: 1 for a capital, 2 for another letter, 3 for a digit, 0 for others.
fn first_class(text: &str) -> u64 {
    match text.chars().next() {
        Some(letter) if letter.is_uppercase() => 1,
        Some(letter) if letter.is_alphabetic() => 2,
        Some(letter) if letter.is_numeric() => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(text: &str) -> [f32; STYLE_INPUTS] {
        Style::new(text).inputs()
    }

    #[test]
    fn a_sentence_a_label_and_a_price_differ() {
        let sentence = inputs("The kettle whistled, and nobody came.");
        let label = inputs("READ MORE");
        let price = inputs("$ 12.99");
        // Capitals, and the classes of the last and the first character.
        assert!(label[0] > 0.8 && sentence[0] < 0.1);
        assert_eq!((sentence[7], label[7], label[10]), (1.0, 0.0, 1.0));
        assert_eq!((sentence[11], price[11]), (1.0, 0.0));
        let currency = SHARES + 7 + 4;
        assert_eq!((price[currency], sentence[currency]), (1.0, 0.0));
        assert!(sentence[4] > 0.0, "it has a comma");
    }

    #[test]
    fn other_scripts_have_sentences_too() {
        let chinese = inputs("茶很热，没有人来。");
        assert_eq!(chinese[7], 1.0);
        assert!(chinese[4] > 0.0 && chinese[5] > 0.0);
        assert!(inputs("ЧАЙ И МЁД")[0] > 0.6);
    }

    #[test]
    fn a_clock_is_a_colon_after_a_digit() {
        let clock = SHARES + 7 + 9;
        assert_eq!(
            (inputs("at 12:30")[clock], inputs("Tea: 3")[clock]),
            (1.0, 0.0)
        );
    }

    #[test]
    fn a_style_is_its_bits_and_no_text_is_too_long() {
        for text in ["", "a", "ä".repeat(999).as_str(), " \u{3000}", "…"] {
            let style = Style::new(text);
            assert_eq!(Style::from_bits(style.bits()), style);
            assert!(
                style
                    .inputs()
                    .iter()
                    .all(|number| (0.0..=1.0).contains(number))
            );
        }
    }
}

//! The words of a text, as hashes.

use super::mix::mix;

/// Calls `found` with the hash of each word of `text`: a run of letters and digits in lower case, where
/// a run of digits counts as one 0. Each letter of a script without spaces is a word.
pub(crate) fn words(text: &str, mut found: impl FnMut(u64)) {
    /// The state of a word without letters.
    const NONE: u64 = 0xcbf2_9ce4_8422_2325;
    let mut word = NONE;
    let (mut is_word, mut is_number) = (false, false);
    let mut end = |word: &mut u64, is_word: &mut bool| {
        if *is_word {
            found(mix(*word));
        }
        (*word, *is_word) = (NONE, false);
    };
    for letter in text.chars() {
        if is_mark(letter) {
            continue;
        }
        if !letter.is_alphanumeric() {
            end(&mut word, &mut is_word);
            is_number = false;
            continue;
        }
        if is_whole_word(letter) {
            end(&mut word, &mut is_word);
            (word, is_word) = (add(word, letter), true);
            end(&mut word, &mut is_word);
            is_number = false;
            continue;
        }
        is_word = true;
        if letter.is_numeric() {
            if !is_number {
                word = add(word, '0');
            }
            is_number = true;
            continue;
        }
        is_number = false;
        for lower in letter.to_lowercase().filter(|lower| !is_mark(*lower)) {
            word = add(word, lower);
        }
    }
    end(&mut word, &mut is_word);
}

/// Adds a letter to the state of a word: FNV-1a over code points.
fn add(word: u64, letter: char) -> u64 {
    (word ^ u64::from(u32::from(letter))).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Whether a letter is an accent that stands alone, as in decomposed Unicode, or a soft hyphen.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200d}')
}

/// Whether a letter is of a script that puts no spaces between words: Han, Kana, Thai, Lao, Khmer,
/// Burmese, Tibetan.
fn is_whole_word(letter: char) -> bool {
    matches!(
        letter,
        '\u{0e00}'..='\u{0eff}'
            | '\u{0f00}'..='\u{0fff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        words(text, |word| found.push(word));
        found
    }

    #[test]
    fn case_punctuation_space_and_digits_do_not_matter() {
        assert_eq!(
            of("On May 3rd, 2011:\n12 trees"),
            of("on may 4rd 1999 7 TREES")
        );
        assert_eq!(of("a-b"), of("a b"));
        assert_ne!(of("12 trees"), of("trees"));
        assert_eq!(of(" . "), Vec::<u64>::new());
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        assert_eq!(of("木が倒れた").len(), 5);
        assert_eq!(of("abc木def").len(), 3);
        assert_eq!(of("나무가 쓰러졌다").len(), 2);
    }

    #[test]
    fn accents_that_stand_alone_and_soft_hyphens_are_left_out() {
        assert_eq!(of("e\u{301}te\u{ad}r"), of("eter"));
        assert_ne!(of("été"), of("ete"));
    }
}

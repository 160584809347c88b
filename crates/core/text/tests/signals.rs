//! Signals of texts by their definitions.

use text::signals::{Signals, signals};

#[test]
fn nothing_has_signals_of_zero() {
    for text in ["", " ", "\n\n"] {
        let found = signals(text);
        let breaks = text.matches('\n').count();
        assert_eq!((found.words, found.stop_words), (0, 0), "{text:?}");
        assert_eq!(
            (found.short_lines, found.top_ngrams),
            (0.0, [0.0; 3]),
            "{breaks}"
        );
    }
    assert_eq!(signals(""), Signals::default());
}

#[test]
fn words_are_tokens_with_letters_or_digits() {
    let found = signals("The 3 cups, don't spill!");
    // The, 3, cups, don't, spill; the tokens are these and two signs.
    assert_eq!(found.words, 5);
    assert_eq!(found.mean_word_length, 18.0 / 5.0);
    assert_eq!(found.tokens_with_letters, 4.0 / 7.0);
    assert_eq!(found.digits, 1.0 / 24.0);
}

#[test]
fn stop_words_count_once_and_in_lower_case() {
    assert_eq!(signals("the the of The Be").stop_words, 2);
    let all = "the be to of and that have with";
    assert_eq!(signals(all).stop_words, 8);
}

#[test]
fn lines_are_counted_by_their_ends() {
    let found = signals(
        "- Home\n  • About\nTea is hot.\nMore…\n\nAnd this line is longer than thirty signs?",
    );
    assert_eq!(found.bullet_lines, 2.0 / 6.0);
    assert_eq!(found.ellipsis_lines, 1.0 / 6.0);
    // The empty line has no end.
    assert_eq!(found.ended_lines, 2.0 / 5.0);
    assert_eq!(found.short_lines, 4.0 / 5.0);
}

#[test]
fn sentences_end_in_other_scripts_too() {
    for end in ["。", "！", "؟", "।", "?"] {
        assert_eq!(signals(&format!("x{end}")).ended_lines, 1.0, "{end}");
    }
    assert_eq!(signals("x,").ended_lines, 0.0);
}

#[test]
fn repeated_lines_count_with_their_characters() {
    let found = signals("abc\nabc\nde\nabc");
    assert_eq!(found.duplicate_lines, 0.5);
    assert_eq!(found.duplicate_line_chars, 6.0 / 11.0);
}

#[test]
fn repeated_ngrams_count_without_overlap() {
    let found = signals("a b c d e a b c d e a b c d e");
    let characters = 29.0;
    assert_eq!(found.top_ngrams[0], 3.0 * 3.0 / characters);
    assert_eq!(found.duplicate_ngrams[0], 10.0 / characters);
    // Ten in a row are there once, and a second time from the sixth on.
    assert_eq!(found.duplicate_ngrams[5], 10.0 / characters);
}

/// A longer text cannot have a share above 1.
#[test]
fn shares_are_shares() {
    for text in [
        "a",
        "a a a a a a a a a a a a",
        "...\n...\n...",
        "茶很热。茶很热。茶很热。茶很热。",
    ] {
        let found = signals(text);
        let shares = [
            found.tokens_with_letters,
            found.digits,
            found.bullet_lines,
            found.ellipsis_lines,
        ]
        .into_iter()
        .chain([
            found.ended_lines,
            found.short_lines,
            found.duplicate_lines,
            found.duplicate_line_chars,
        ])
        .chain(found.duplicate_ngrams);
        for share in shares {
            assert!((0.0..=1.0).contains(&share), "{text}: {found:?}");
        }
    }
}

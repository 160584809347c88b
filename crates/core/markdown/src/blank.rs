//! Texts that are invisible.

/// Whether a text has only whitespace and characters without a shape: soft hyphens, marks of direction, joiners.
/// Markup around it would be empty: `[](/x)`, `****`.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_shapeless(c))
}

/// Whether a character has no shape: Unicode's `Default_Ignorable_Code_Point` and controls.
fn is_shapeless(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn a_text_without_a_shape_is_blank() {
        for blank in ["", " \n", "\u{200b}", "\u{ad}\u{2060} \u{feff}", "\u{3000}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for seen in ["a", "\u{200b}¶", "☕\u{fe0f}", "\u{e900}"] {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }
}

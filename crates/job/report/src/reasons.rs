//! The reasons of labels, in words.

use template::Reason;

/// Returns the meaning of a `reason` of the table `blocks`.
///
/// ```
/// assert!(report::meaning("repeated").starts_with("Dropped: "));
/// assert_eq!(report::meaning("another"), "");
/// ```
pub fn meaning(reason: &str) -> &'static str {
    Reason::named(reason).map_or("", Reason::meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form of a page hides the blocks of a reason by a rule of the style sheet.
    #[test]
    fn blocks_of_every_reason_can_be_hidden() {
        let style = include_str!("../templates/blocks.css");
        for reason in Reason::ALL {
            let rule = format!("body:has(#r-{reason}:not(:checked)) .r-{reason}");
            assert!(style.contains(&rule), "{rule}");
        }
    }
}

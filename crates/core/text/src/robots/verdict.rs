//! The verdict of a rule.

/// The verdict of a rule. Of two rules of one length, the greater one decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Disallow,
    Allow,
}

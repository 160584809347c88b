//! The evidence about one parameter of a site's URLs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Pages that were merged by their content, before a parameter is noise. Chosen on the twins of
/// two sites and on the sites of the sample: 3 to 8 give the same rows there.
const NOISE_SAME: u32 = 5;

/// Different contents among these pages. A form or an error page that all values lead to is one
/// content, and proves nothing.
const NOISE_CONTENTS: u32 = 3;

/// Pages with other content before a parameter identifies pages.
const IDENTIFIES_DIFFERS: u32 = 5;

/// A parameter does not identify pages as long as more than one in so many has equal content: it
/// stays undecided, and its pages are compared.
const IDENTIFIES_DIFFERS_PER_SAME: u32 = 10;

/// Pages with other content after which noise was a mistake.
const REVISION_DIFFERS: u32 = 3;

/// Whether a parameter identifies a page.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
pub enum Verdict {
    /// Not known: the parameter stays in the key, and pages that differ in it are compared.
    #[default]
    Undecided,
    /// It changes nothing, and is dropped from the key.
    Noise,
    /// It identifies pages, and stays in the key. Its pages are not compared.
    Identifies,
}

impl Verdict {
    const ALL: [Self; 3] = [Self::Undecided, Self::Noise, Self::Identifies];

    /// A stable name, such as `noise`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Noise => "noise",
            Self::Identifies => "identifies",
        }
    }

    /// The verdict with this [`as_str`](Self::as_str).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == name)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The counts of a parameter up to the end of a date, and the verdict from the next date on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Evidence {
    /// The verdict.
    pub verdict: Verdict,
    /// The first date of the verdict, in days since 1970.
    pub since: i32,
    /// Rows of the archive with the parameter.
    pub rows: u64,
    /// Pages with the content of another page that differs in this parameter only.
    pub same: u32,
    /// Pages with other content than all pages that differ in this parameter only.
    pub differs: u32,
    /// One of 64 bits for each content of `same`, by its hash.
    pub contents: u64,
    /// Whether the verdict was noise and turned out wrong.
    pub revised: bool,
    /// The first date with a count, in days since 1970.
    pub first: i32,
    /// The last date with a count, in days since 1970.
    pub last: i32,
    /// The URL of the last page that was counted, and of the page it was compared with.
    pub example: Option<[String; 2]>,
}

impl Evidence {
    /// Sets the verdict that the counts call for, from the date after `date` on.
    pub(crate) fn judge(&mut self, date: i32) {
        let verdict = self.called_for();
        if verdict != self.verdict {
            self.revised |= self.verdict == Verdict::Noise;
            self.verdict = verdict;
            self.since = date.saturating_add(1);
        }
    }

    fn called_for(&self) -> Verdict {
        let contents = self.contents.count_ones();
        match self.verdict {
            Verdict::Identifies => Verdict::Identifies,
            Verdict::Noise if self.differs >= REVISION_DIFFERS => Verdict::Identifies,
            Verdict::Noise => Verdict::Noise,
            Verdict::Undecided
                if self.differs == 0 && self.same >= NOISE_SAME && contents >= NOISE_CONTENTS =>
            {
                Verdict::Noise
            }
            Verdict::Undecided
                if self.differs >= IDENTIFIES_DIFFERS
                    && self.differs >= self.same.saturating_mul(IDENTIFIES_DIFFERS_PER_SAME) =>
            {
                Verdict::Identifies
            }
            Verdict::Undecided => Verdict::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(same: u32, contents: u64, differs: u32) -> Verdict {
        let mut evidence = Evidence {
            same,
            contents,
            differs,
            ..Evidence::default()
        };
        evidence.judge(7);
        evidence.verdict
    }

    #[test]
    fn noise_changes_nothing_on_several_contents() {
        assert_eq!(judged(5, 0b111, 0), Verdict::Noise);
        assert_eq!(judged(4, 0b111, 0), Verdict::Undecided);
        assert_eq!(judged(500, 0b11, 0), Verdict::Undecided);
        assert_eq!(judged(500, u64::MAX, 1), Verdict::Undecided);
    }

    #[test]
    fn a_parameter_that_mostly_leads_to_other_pages_identifies_them() {
        assert_eq!(judged(0, 0, 4), Verdict::Undecided);
        assert_eq!(judged(0, 0, 5), Verdict::Identifies);
        assert_eq!(judged(1, 1, 9), Verdict::Undecided);
        assert_eq!(judged(1, 1, 10), Verdict::Identifies);
    }

    #[test]
    fn noise_that_was_a_mistake_is_revised_from_the_next_date_on() {
        let mut evidence = Evidence {
            same: 9,
            contents: 7,
            ..Evidence::default()
        };
        evidence.judge(7);
        assert_eq!((evidence.verdict, evidence.since), (Verdict::Noise, 8));
        evidence.differs = 2;
        evidence.judge(9);
        assert_eq!((evidence.verdict, evidence.since), (Verdict::Noise, 8));
        evidence.differs = 3;
        evidence.judge(9);
        assert_eq!(
            (evidence.verdict, evidence.since),
            (Verdict::Identifies, 10)
        );
        assert!(evidence.revised);
    }

    #[test]
    fn names_are_parsed_back() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_name(verdict.as_str()), Some(verdict));
        }
        assert_eq!(Verdict::from_name("Noise"), None);
    }
}

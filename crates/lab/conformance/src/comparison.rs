//! Counts of equal and different cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::method;

/// A deliberate difference from the reference.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// The name by which a case is explained.
    pub name: &'static str,
    reason: &'static str,
    kind: DifferenceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DifferenceKind {
    Spelling,
    Meaning,
}

impl Difference {
    /// A difference in notation: the test rewrites the answer before it compares.
    pub const fn spelling(name: &'static str, reason: &'static str) -> Self {
        let kind = DifferenceKind::Spelling;
        Difference { name, reason, kind }
    }

    /// A different answer.
    pub const fn meaning(name: &'static str, reason: &'static str) -> Self {
        let kind = DifferenceKind::Meaning;
        Difference { name, reason, kind }
    }
}

/// A row of the table: the compared cases of one kind.
#[derive(Debug)]
pub struct Row {
    compared: String,
    /// The number of cases by their exact set of differences.
    cases: BTreeMap<BTreeSet<&'static str>, usize>,
    unexplained: Vec<String>,
}

impl Row {
    /// Creates a row without cases. `compared` describes a case.
    pub fn new(compared: impl Into<String>) -> Self {
        Row {
            compared: compared.into(),
            cases: BTreeMap::new(),
            unexplained: Vec::new(),
        }
    }

    /// Counts a case with identical answers.
    pub fn identical(&mut self) {
        self.differs([]);
    }

    /// Counts a case whose answers are equal except for these differences. Without any
    /// difference the case is identical.
    pub fn differs(&mut self, names: impl IntoIterator<Item = &'static str>) {
        *self.cases.entry(names.into_iter().collect()).or_default() += 1;
    }

    /// Records a case that no difference explains.
    pub fn unexplained(&mut self, case: String) {
        self.unexplained.push(case);
    }
}

/// The reason why a comparison fails.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement {
    /// Cases that no difference explains.
    Unexplained(Vec<String>),
    /// Differences without a case.
    Unused(Vec<&'static str>),
    /// A row without cases.
    Empty(String),
    /// A name used for a case that is not a difference of this comparison.
    Unknown(&'static str),
}

/// A comparison under construction, which becomes a section of `docs/method.md`.
#[derive(Debug)]
pub struct Comparison {
    section: &'static str,
    differences: Vec<Difference>,
    rows: Vec<Row>,
}

impl Comparison {
    /// Creates a comparison without rows. Its cases may have the given differences.
    pub fn new(section: &'static str, differences: &[Difference]) -> Self {
        Comparison {
            section,
            differences: differences.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row to the table.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Checks that every case is explained, that every difference has a case, and that
    /// the section of `docs/method.md` equals the table.
    ///
    /// # Panics
    ///
    /// If one of these checks fails.
    pub fn finish(self) {
        match self.table() {
            Ok(table) => method::check_section(self.section, &table),
            Err(Disagreement::Unexplained(cases)) => {
                panic!("{} unexplained cases:\n{}", cases.len(), cases.join("\n"))
            }
            Err(disagreement) => panic!("{disagreement:?}"),
        }
    }

    /// Returns the section as Markdown: a table of the rows, and tables of the differences.
    ///
    /// # Errors
    ///
    /// [`Disagreement`] if a case is not explained, or if a row, a difference or a name is
    /// wrong.
    pub fn table(&self) -> Result<String, Disagreement> {
        self.check()?;
        let mut text = String::from(
            "| compared, case by case | cases | identical | spelt differently | different |\n\
             |---|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            let (mut identical, mut spelling, mut meaning) = (0, 0, 0);
            for (names, cases) in &row.cases {
                let has = |kind| names.iter().any(|name| self.kind(name) == Some(kind));
                if has(DifferenceKind::Meaning) {
                    meaning += cases;
                } else if has(DifferenceKind::Spelling) {
                    spelling += cases;
                } else {
                    identical += cases;
                }
            }
            let (compared, cases) = (&row.compared, thousands(row.cases.values().sum()));
            let [identical, spelling, meaning] = [identical, spelling, meaning].map(thousands);
            line(
                &mut text,
                &[compared, &cases, &identical, &spelling, &meaning],
            );
        }
        for (kind, title) in [
            (DifferenceKind::Spelling, "spelt differently"),
            (DifferenceKind::Meaning, "different"),
        ] {
            let mut of_kind = self
                .differences
                .iter()
                .filter(|d| d.kind == kind)
                .peekable();
            if of_kind.peek().is_some() {
                text += &format!("\n| {title} | how, and why | cases |\n|---|---|--:|\n");
            }
            for difference in of_kind {
                let cases = thousands(self.cases_with(difference.name));
                line(&mut text, &[difference.name, difference.reason, &cases]);
            }
        }
        Ok(text)
    }

    fn check(&self) -> Result<(), Disagreement> {
        let unexplained = self.rows.iter().flat_map(|row| &row.unexplained);
        let unexplained: Vec<String> = unexplained.cloned().collect();
        if !unexplained.is_empty() {
            return Err(Disagreement::Unexplained(unexplained));
        }
        if let Some(row) = self.rows.iter().find(|row| row.cases.is_empty()) {
            return Err(Disagreement::Empty(row.compared.clone()));
        }
        let mut names = self.rows.iter().flat_map(|row| row.cases.keys()).flatten();
        if let Some(name) = names.find(|name| self.kind(name).is_none()) {
            return Err(Disagreement::Unknown(name));
        }
        let names = self.differences.iter().map(|difference| difference.name);
        let unused: Vec<&str> = names.filter(|name| self.cases_with(name) == 0).collect();
        if !unused.is_empty() {
            return Err(Disagreement::Unused(unused));
        }
        Ok(())
    }

    fn kind(&self, name: &str) -> Option<DifferenceKind> {
        let difference = self.differences.iter().find(|d| d.name == name)?;
        Some(difference.kind)
    }

    /// The number of cases with a difference.
    fn cases_with(&self, name: &str) -> usize {
        let cases = self.rows.iter().flat_map(|row| &row.cases);
        let with = cases.filter(|(names, _)| names.contains(name));
        with.map(|(_, cases)| cases).sum()
    }
}

fn line(text: &mut String, cells: &[&str]) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Formats `1234567` as `1,234,567`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: Difference = Difference::spelling("port", "not printed");
    const SUFFIX: Difference = Difference::meaning("suffix", "of today");

    #[test]
    fn rows_count_a_case_once_and_differences_each_of_theirs() {
        let mut comparison = Comparison::new("x", &[PORT, SUFFIX]);
        let mut row = Row::new("keys");
        row.identical();
        row.differs(["port"]);
        row.differs(["suffix", "port"]);
        comparison.add(row);
        assert_eq!(
            comparison.table().expect("all is explained"),
            "| compared, case by case | cases | identical | spelt differently | different |\n\
             |---|--:|--:|--:|--:|\n\
             | keys | 3 | 1 | 1 | 1 |\n\
             \n| spelt differently | how, and why | cases |\n|---|---|--:|\n\
             | port | not printed | 2 |\n\
             \n| different | how, and why | cases |\n|---|---|--:|\n\
             | suffix | of today | 1 |\n"
        );
    }

    #[test]
    fn unexplained_cases_and_unused_differences_are_errors() {
        let mut comparison = Comparison::new("x", &[PORT, SUFFIX]);
        comparison.add(Row::new("keys"));
        comparison.rows[0].differs(["port"]);
        let unused = Disagreement::Unused(vec!["suffix"]);
        assert_eq!(comparison.table(), Err(unused));

        comparison.add(Row::new("domains"));
        let empty = Disagreement::Empty("domains".to_owned());
        assert_eq!(comparison.table(), Err(empty));

        comparison.rows[1].differs(["sufix"]);
        assert_eq!(comparison.table(), Err(Disagreement::Unknown("sufix")));

        comparison.rows[1].unexplained("a.com".to_owned());
        let unexplained = Disagreement::Unexplained(vec!["a.com".to_owned()]);
        assert_eq!(comparison.table(), Err(unexplained));
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_019_914), "1,019,914");
    }
}

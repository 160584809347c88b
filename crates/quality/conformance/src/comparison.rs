//! Counting what agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::method;

/// A deliberate difference.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// The name by which a case is excused.
    pub name: &'static str,
    reason: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Spelling,
    Meaning,
}

impl Difference {
    /// The same answer, written otherwise: it is rewritten, then compared.
    pub const fn spelling(name: &'static str, reason: &'static str) -> Self {
        let kind = Kind::Spelling;
        Difference { name, reason, kind }
    }

    /// Another answer.
    pub const fn meaning(name: &'static str, reason: &'static str) -> Self {
        let kind = Kind::Meaning;
        Difference { name, reason, kind }
    }
}

/// Cases of one kind, and what became of them.
#[derive(Debug)]
pub struct Row {
    compared: String,
    /// How many cases have just these differences.
    cases: BTreeMap<BTreeSet<&'static str>, usize>,
    unexplained: Vec<String>,
}

impl Row {
    /// A row without cases; `compared` says what one case of it is.
    pub fn new(compared: impl Into<String>) -> Self {
        Row {
            compared: compared.into(),
            cases: BTreeMap::new(),
            unexplained: Vec::new(),
        }
    }

    /// Counts a case with the same answer, written the same way.
    pub fn identical(&mut self) {
        self.differs([]);
    }

    /// Counts a case whose answers are equal but for these differences; for
    /// none, an identical one.
    pub fn differs(&mut self, names: impl IntoIterator<Item = &'static str>) {
        *self.cases.entry(names.into_iter().collect()).or_default() += 1;
    }

    /// Records a case that nothing excuses.
    pub fn unexplained(&mut self, case: String) {
        self.unexplained.push(case);
    }
}

/// Why a comparison has no table.
#[derive(Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// Cases that no difference excuses.
    Unexplained(Vec<String>),
    /// Differences that excuse no case.
    Idle(Vec<&'static str>),
    /// A row without cases.
    Empty(String),
    /// A case is excused by a name that is no difference of this comparison.
    Unknown(&'static str),
}

/// A comparison in the making: a section of `docs/method.md`.
#[derive(Debug)]
pub struct Comparison {
    section: &'static str,
    differences: Vec<Difference>,
    rows: Vec<Row>,
}

impl Comparison {
    /// A comparison without rows, and the differences it may use.
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

    /// Ends the comparison: every case is explained, every difference is met,
    /// and `docs/method.md` says just that.
    ///
    /// # Panics
    ///
    /// If one of these is not so.
    pub fn settle(self) {
        match self.table() {
            Ok(table) => method::hold(self.section, &table),
            Err(Disagreement::Unexplained(cases)) => {
                panic!("{} unexplained cases:\n{}", cases.len(), cases.join("\n"))
            }
            Err(disagreement) => panic!("{disagreement:?}"),
        }
    }

    /// The section as Markdown: a table of rows, and one of the differences.
    ///
    /// # Errors
    ///
    /// [`Disagreement`], of which a settled comparison has none.
    pub fn table(&self) -> Result<String, Disagreement> {
        self.check()?;
        let mut text = String::from(
            "| compared, case by case | cases | identical | spelt differently | different |\n\
             |---|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            let (mut identical, mut spelling, mut meaning) = (0, 0, 0);
            for (names, cases) in &row.cases {
                let is = |kind| (names.iter()).any(|name| self.kind(name) == Some(kind));
                if is(Kind::Meaning) {
                    meaning += cases;
                } else if is(Kind::Spelling) {
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
            (Kind::Spelling, "spelt differently"),
            (Kind::Meaning, "different"),
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
                let cases = thousands(self.met(difference.name));
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
        let idle: Vec<&str> = names.filter(|name| self.met(name) == 0).collect();
        if !idle.is_empty() {
            return Err(Disagreement::Idle(idle));
        }
        Ok(())
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        let difference = self.differences.iter().find(|d| d.name == name)?;
        Some(difference.kind)
    }

    /// Cases that have this difference.
    fn met(&self, name: &str) -> usize {
        let cases = self.rows.iter().flat_map(|row| &row.cases);
        let with = cases.filter(|(names, _)| names.contains(name));
        with.map(|(_, cases)| cases).sum()
    }
}

fn line(text: &mut String, cells: &[&str]) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// `1234567` as `1,234,567`.
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
    fn a_table_counts_cases_once_and_differences_each() {
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
    fn what_is_unexplained_idle_or_empty_has_no_table() {
        let mut comparison = Comparison::new("x", &[PORT, SUFFIX]);
        comparison.add(Row::new("keys"));
        comparison.rows[0].differs(["port"]);
        let idle = Disagreement::Idle(vec!["suffix"]);
        assert_eq!(comparison.table(), Err(idle));

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

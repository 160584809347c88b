//! The file that has the marks: lines of a domain, a DOM path, a label and a note.

use std::collections::HashMap;
use std::fmt;

use super::marked_path::{MarkedPath, PathProblem};
use super::rule::{Label, Marks, UnknownLabel};

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The domain: a public suffix and one label, as in the tables.
    pub domain: String,
    /// The path.
    pub path: MarkedPath,
    /// The label of the blocks at the path and below it.
    pub label: Label,
    /// A note of the reader: name, date, cause. May be empty.
    pub note: String,
}

/// The text of a file of marks.
///
/// Lines that are blank or start with `#` are kept as they are, and so are the lines of marks that are not
/// changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkFile {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// A comment or a blank line.
    Comment(String),
    Mark(Mark),
}

/// A line that is not a mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct MarkError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub problem: MarkProblem,
}

/// The reason why a line is not a mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkProblem {
    /// There are fewer than three columns.
    #[error("expected a domain, a DOM path and a label, separated by tabs; found {0} of them")]
    Columns(usize),
    /// The domain is not that of any page.
    #[error("`{name}` is not a domain; expected {}", expected(domain.as_deref()))]
    Domain {
        /// The first column.
        name: String,
        /// The domain that has the pages of this host, if it is a host.
        domain: Option<String>,
    },
    /// The second column is not a path.
    #[error(transparent)]
    Path(#[from] PathProblem),
    /// The third column is not a label.
    #[error(transparent)]
    Label(#[from] UnknownLabel),
    /// An earlier line gives the path another label.
    #[error("line {earlier} marks {path} of {domain} as {label}; remove one of the two")]
    Twice {
        /// The earlier line.
        earlier: usize,
        /// The domain of both.
        domain: String,
        /// The path of both.
        path: MarkedPath,
        /// The label of the earlier line.
        label: Label,
    },
}

fn expected(domain: Option<&str>) -> String {
    match domain {
        Some(domain) => format!("{domain}, which has the pages of this host"),
        None => "a name such as gazette.example".to_owned(),
    }
}

impl MarkFile {
    /// Reads a file. `domain_of` returns the domain of the pages of a host, or `None` if a text is not a
    /// host.
    ///
    /// # Errors
    /// [`MarkError`] of the first line that is not a mark.
    pub fn parse(
        text: &str,
        domain_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, MarkError> {
        let mut file = Self::default();
        let mut known: HashMap<(String, MarkedPath), (usize, Label)> = HashMap::new();
        for (text, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
            let text = text.trim_end();
            if text.trim_start().is_empty() || text.trim_start().starts_with('#') {
                file.lines.push(Line::Comment(text.to_owned()));
                continue;
            }
            let in_line = |problem| MarkError {
                line: number,
                problem,
            };
            let mark = Mark::parse(text, &domain_of).map_err(in_line)?;
            let key = (mark.domain.clone(), mark.path.clone());
            let (earlier, label) = *known.entry(key).or_insert((number, mark.label));
            if label != mark.label {
                return Err(in_line(MarkProblem::Twice {
                    earlier,
                    domain: mark.domain,
                    path: mark.path,
                    label,
                }));
            }
            file.lines.push(Line::Mark(mark));
        }
        Ok(file)
    }

    /// Returns the marks of all lines.
    pub fn marks(&self) -> Marks {
        let entries = self.entries();
        Marks::new(entries.map(|(_, mark)| (mark.domain.as_str(), &mark.path, mark.label)))
    }

    /// Adds a mark, or changes the label of its path. An empty note leaves that of the line. Returns whether
    /// anything has changed.
    ///
    /// A new line comes after the last line of a lesser domain or path, so that a file in order stays in order.
    pub fn set(&mut self, mark: Mark) -> bool {
        let before = self.clone();
        match self.find(&mark.domain, &mark.path).map(|(at, _)| at) {
            Some(at) => {
                let of_other_lines = |line: &Line| !line.is_of(&mark.domain, &mark.path);
                let rest = self.lines.split_off(at + 1);
                self.lines.extend(rest.into_iter().filter(of_other_lines));
                if let Line::Mark(known) = &mut self.lines[at] {
                    known.label = mark.label;
                    if !mark.note.is_empty() {
                        known.note = mark.note;
                    }
                }
            }
            None => {
                let at = self.place_of(&mark);
                self.lines.insert(at, Line::Mark(mark));
            }
        }
        *self != before
    }

    /// Removes the mark of a path. Returns whether there was one.
    pub fn remove(&mut self, domain: &str, path: &MarkedPath) -> bool {
        let lines = self.lines.len();
        self.lines.retain(|line| !line.is_of(domain, path));
        self.lines.len() < lines
    }

    /// Positions and marks of the lines that have one.
    fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, &Mark)> {
        let lines = self.lines.iter().enumerate();
        lines.filter_map(|(at, line)| match line {
            Line::Mark(mark) => Some((at, mark)),
            Line::Comment(_) => None,
        })
    }

    fn find(&self, domain: &str, path: &MarkedPath) -> Option<(usize, &Mark)> {
        let mut entries = self.entries();
        entries.find(|(_, mark)| (mark.domain.as_str(), &mark.path) == (domain, path))
    }

    /// The position of a new line. Comments right above the first mark belong to it, unless they begin the
    /// file.
    fn place_of(&self, mark: &Mark) -> usize {
        let order = |mark: &Mark| (mark.domain.clone(), mark.path.clone());
        let is_before = |(_, other): &(usize, &Mark)| order(other) < order(mark);
        if let Some((at, _)) = self.entries().rfind(is_before) {
            return at + 1;
        }
        let Some((first, _)) = self.entries().next() else {
            return self.lines.len();
        };
        let is_blank = |line: &Line| matches!(line, Line::Comment(text) if text.trim().is_empty());
        let blank = self.lines[..first].iter().rposition(is_blank);
        blank.map_or(first, |blank| blank + 1)
    }
}

impl Line {
    fn is_of(&self, domain: &str, path: &MarkedPath) -> bool {
        matches!(self, Line::Mark(mark) if mark.domain == domain && mark.path == *path)
    }
}

impl Mark {
    fn parse(text: &str, domain_of: impl Fn(&str) -> Option<String>) -> Result<Self, MarkProblem> {
        let columns: Vec<&str> = text.splitn(4, '\t').map(str::trim).collect();
        let [name, path, label, note @ ..] = columns.as_slice() else {
            return Err(MarkProblem::Columns(columns.len()));
        };
        let domain = domain_of(name).filter(|_| !name.is_empty());
        if domain.as_deref() != Some(name) {
            return Err(MarkProblem::Domain {
                name: (*name).to_owned(),
                domain,
            });
        }
        Ok(Self {
            domain: (*name).to_owned(),
            path: MarkedPath::parse(path)?,
            label: label.parse()?,
            note: note.first().copied().unwrap_or_default().to_owned(),
        })
    }
}

impl fmt::Display for MarkFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            match line {
                Line::Comment(text) => writeln!(out, "{text}")?,
                Line::Mark(mark) => writeln!(out, "{mark}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}\t{}\t{}", self.domain, self.path, self.label)?;
        // A note of several lines would be several lines of the file.
        let note = self.note.split(char::is_control).collect::<Vec<_>>();
        match note.join(" ").trim() {
            "" => Ok(()),
            note => write!(out, "\t{note}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts of one domain, as `www.news.example` of `news.example`.
    fn domain_of(host: &str) -> Option<String> {
        let name = host.strip_suffix(".example")?;
        Some(format!("{}.example", name.rsplit('.').next()?))
    }

    fn parse(text: &str) -> Result<MarkFile, MarkError> {
        MarkFile::parse(text, domain_of)
    }

    fn mark(domain: &str, path: &str, label: Label) -> Mark {
        Mark {
            domain: domain.to_owned(),
            path: MarkedPath::parse(path).unwrap(),
            label,
            note: String::new(),
        }
    }

    #[test]
    fn a_file_has_the_marks_of_its_lines() {
        let text = "\u{feff}# head\r\n\r\nb.example\tdiv.x.y\tcontent\r\n  # a\n\
                    a.example\tp\tboilerplate\tby Ann\tin May\nb.example\tdiv.x\tcontent\n";
        let file = parse(text).unwrap();
        let marks = file.marks();
        let lines: Vec<String> = (marks.iter())
            .map(|(domain, path, label)| format!("{domain} {path} {label}"))
            .collect();
        assert_eq!(
            lines,
            ["a.example p boilerplate", "b.example div.x content"]
        );
        assert!(parse("# nothing\n\n").unwrap().marks().is_empty());
        assert_eq!(file.entries().nth(1).unwrap().1.note, "by Ann\tin May");
    }

    #[test]
    fn a_line_that_is_not_a_mark_is_an_error_with_its_number_and_the_reason() {
        let good = "# head\na.example\tdiv.x\tcontent\n";
        for (line, words) in [
            ("a.example div.x content", &["found 1"][..]),
            ("a.example\tdiv.x", &["found 2", "label"]),
            (
                "a.example\tdiv.y\tkeep",
                &["`keep`", "content or boilerplate"],
            ),
            ("a.example\tdiv>>p\tcontent", &["empty"]),
            ("a.example\t#main\tcontent", &["`#main`"]),
            (
                "www.a.example\tp\tcontent",
                &["`www.a.example`", "expected a.example"],
            ),
            ("http://a\tp\tcontent", &["`http://a`", "gazette.example"]),
            ("\tp\tcontent", &["is not a domain"]),
            (
                "a.example\tdiv.x.wide\tboilerplate",
                &["line 2", "div.x of a.example as content"],
            ),
        ] {
            let error = parse(&format!("{good}{line}\n")).unwrap_err().to_string();
            assert!(error.starts_with("line 3: "), "{line}: {error}");
            for word in words {
                assert!(error.contains(word), "{line}: {error}");
            }
        }
    }

    #[test]
    fn a_new_mark_comes_in_order_and_comments_stay_with_their_lines() {
        let text = "# head\n\n# of b\nb.example\tdiv\tcontent\tnote\n# of d\nd.example\tp\tcontent\n# end\n";
        let mut file = parse(text).unwrap();
        assert!(file.set(mark("c.example", "p", Label::Boilerplate)));
        assert!(file.set(mark("a.example", "p", Label::Content)));
        assert!(file.set(mark("e.example", "p", Label::Content)));
        let expected = "# head\n\na.example\tp\tcontent\n# of b\nb.example\tdiv\tcontent\tnote\n\
                        c.example\tp\tboilerplate\n# of d\nd.example\tp\tcontent\ne.example\tp\tcontent\n# end\n";
        assert_eq!(file.to_string(), expected);
        assert_eq!(parse(expected).unwrap(), file);
        for domain in ["a.example", "c.example", "e.example"] {
            assert!(file.remove(domain, &MarkedPath::parse("p").unwrap()));
        }
        assert_eq!(file.to_string(), text);
    }

    #[test]
    fn a_changed_mark_keeps_its_place_and_its_note() {
        let text =
            "b.example\tdiv\tcontent\tby Ann\na.example\tp\tcontent\nb.example\tdiv\tcontent\n";
        let mut file = parse(text).unwrap();
        assert!(file.set(mark("b.example", "div.12", Label::Boilerplate)));
        let expected = "b.example\tdiv\tboilerplate\tby Ann\na.example\tp\tcontent\n";
        assert_eq!(file.to_string(), expected);
        assert!(!file.set(mark("b.example", "div", Label::Boilerplate)));
        let mut noted = mark("b.example", "div", Label::Boilerplate);
        noted.note = "by Bob\nin\tJune".to_owned();
        assert!(file.set(noted));
        assert!(
            file.to_string()
                .starts_with("b.example\tdiv\tboilerplate\tby Bob in June\n")
        );
        assert!(!file.remove("c.example", &MarkedPath::parse("div").unwrap()));
    }

    #[test]
    fn the_first_mark_of_a_file_comes_after_its_comments() {
        let mut file = parse("# domain, path, label\n").unwrap();
        file.set(mark("b.example", "p", Label::Content));
        file.set(mark("a.example", "p", Label::Content));
        let expected = "# domain, path, label\na.example\tp\tcontent\nb.example\tp\tcontent\n";
        assert_eq!(file.to_string(), expected);
    }
}

//! The result of one page, as a line of a file.

/// The result of one page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) kind: String,
    pub(crate) site: String,
    pub(crate) url: String,
    /// F1 of the default method.
    pub(crate) f1: f64,
    /// F1 of the paper's `strict`.
    pub(crate) strict: f64,
    /// By reason, words that it drops or keeps wrongly.
    pub(crate) wrong: Vec<(String, usize)>,
}

impl Row {
    /// Returns the row as a line: fields between tabs.
    pub(crate) fn line(&self) -> String {
        let wrong = self.wrong.iter();
        let wrong: Vec<String> = wrong
            .map(|(name, words)| format!("{name}={words}"))
            .collect();
        format!(
            "{}\t{}\t{}\t{:.6}\t{:.6}\t{}",
            self.kind,
            self.site,
            self.url,
            self.f1,
            self.strict,
            wrong.join(" "),
        )
    }

    /// Parses a [`line`](Self::line).
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut text = || fields.next().map(str::to_owned);
        let (kind, site, url) = (text()?, text()?, text()?);
        let (f1, strict, wrong) = (text()?, text()?, text()?);
        let wrong = wrong.split_whitespace().map(|wrong| {
            let (name, words) = wrong.split_once('=')?;
            Some((name.to_owned(), words.parse().ok()?))
        });
        Some(Row {
            kind,
            site,
            url,
            f1: f1.parse().ok()?,
            strict: strict.parse().ok()?,
            wrong: wrong.collect::<Option<_>>()?,
        })
    }
}

//! The pages of a domain that others may repeat, in few bytes: a site has millions of them.

use std::collections::HashMap;

use crate::plan::steps::dedupe::Original;

/// Pages by number.
#[derive(Debug, Default)]
pub(crate) struct KnownPages {
    /// The URLs, one after the other.
    urls: String,
    pages: Vec<KnownPage>,
    /// Objects of the archive, and rules.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// The number of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageNumber(u32);

#[derive(Debug)]
struct KnownPage {
    /// Where its URL begins. The URL of the request follows.
    begin: usize,
    url_bytes: u32,
    request_bytes: Option<u32>,
    rule: Option<u32>,
    /// Object and row.
    position: (u32, i64),
}

impl KnownPages {
    /// Returns the number of the next page, and adds it. A site with more than 2^32 pages keeps the last ones.
    pub(crate) fn add(&mut self, page: &Original) -> PageNumber {
        let number = PageNumber(self.pages.len() as u32);
        let begin = self.urls.len();
        self.urls.push_str(&page.url);
        self.urls
            .push_str(page.request_url.as_deref().unwrap_or_default());
        let source = self.number(&page.source);
        let rule = page.rule.as_ref().map(|rule| self.number(rule));
        self.pages.push(KnownPage {
            begin,
            url_bytes: page.url.len() as u32,
            request_bytes: page.request_url.as_ref().map(|url| url.len() as u32),
            rule,
            position: (source, page.row),
        });
        number
    }

    /// Removes the page that was added last.
    pub(crate) fn remove_last(&mut self) {
        if let Some(page) = self.pages.pop() {
            self.urls.truncate(page.begin);
        }
    }

    pub(crate) fn url(&self, number: PageNumber) -> &str {
        let page = &self.pages[number.0 as usize];
        &self.urls[page.begin..][..page.url_bytes as usize]
    }

    /// Returns the value of `duplicate_of` for a duplicate of a page.
    pub(crate) fn position(&self, number: PageNumber) -> String {
        let (source, row) = self.pages[number.0 as usize].position;
        format!("{}#{row}", self.names[source as usize])
    }

    pub(crate) fn get(&self, number: PageNumber) -> Original {
        let page = &self.pages[number.0 as usize];
        let (source, row) = page.position;
        let rest = &self.urls[page.begin + page.url_bytes as usize..];
        Original {
            request_url: page
                .request_bytes
                .map(|bytes| rest[..bytes as usize].to_owned()),
            url: self.url(number).to_owned(),
            rule: page.rule.map(|rule| self.names[rule as usize].clone()),
            source: self.names[source as usize].clone(),
            row,
            row_group: None,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.urls.capacity() + self.pages.capacity() * size_of::<KnownPage>()
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_comes_back_as_it_was_added() {
        let mut pages = KnownPages::default();
        let page = |number: i64, request_url: Option<&str>, rule: Option<&str>| Original {
            request_url: request_url.map(str::to_owned),
            url: format!("http://a.example/ü?{number}"),
            rule: rule.map(str::to_owned),
            source: "a#b.parquet".to_owned(),
            row: number,
            row_group: None,
        };
        let added = [
            page(7, None, None),
            page(-1, Some("http://b.example/"), Some("id")),
            page(9, Some(""), None),
        ];
        let add = |page: &Original| {
            pages.add(&added[0]);
            pages.remove_last();
            pages.add(page)
        };
        let numbers: Vec<PageNumber> = added.iter().map(add).collect();
        for (number, page) in numbers.into_iter().zip(&added) {
            assert_eq!(pages.url(number), page.url);
            assert_eq!(pages.position(number), page.position());
            assert_eq!(format!("{:?}", pages.get(number)), format!("{page:?}"));
        }
    }
}

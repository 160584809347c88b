//! The normal form of a DOM path.

use std::fmt;

use crate::element::{element_name, path_key};

/// The name of the empty path.
const BODY: &str = "body";

/// A DOM path in the normal form of the template: the elements below `body`, each with its first class.
///
/// ```
/// use template::marks::MarkedPath;
///
/// let normal = |path| MarkedPath::parse(path).map(|path| path.to_string());
/// assert_eq!(normal("div.main>article.post.sticky>p")?, "div.main>article.post>p");
/// assert_eq!(normal("body > DIV.post-1234 > p")?, "div.post->p");
/// assert_eq!(normal("body")?, "body");
/// # Ok::<(), template::marks::PathProblem>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkedPath {
    /// The keys of the elements, joined by `>`; empty for `body`.
    keys: String,
}

/// The reason why a text is not a DOM path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// The path is empty, or has nothing between two `>`.
    #[error("an element of the DOM path is empty; expected one such as div.story>p")]
    Empty,
    /// An element does not start with the name of an element.
    #[error(
        "`{0}` in the DOM path has no name; expected the name of an element with its classes, such as div.story"
    )]
    Name(String),
    /// The path has a control character.
    #[error("the DOM path has a control character")]
    Control,
}

impl MarkedPath {
    /// Reads a path as `explain` shows it. `body` is the whole page, and may begin a path, with any classes.
    ///
    /// Digits in classes are removed, as they are from DOM paths.
    ///
    /// # Errors
    /// [`PathProblem`]
    pub fn parse(path: &str) -> Result<Self, PathProblem> {
        if path.contains(char::is_control) {
            return Err(PathProblem::Control);
        }
        let mut elements = path.split('>').map(str::trim).peekable();
        let mut keys = String::new();
        let is_body = |element: &&str| element_name(element).eq_ignore_ascii_case(BODY);
        while elements.next_if(is_body).is_some() {}
        for element in elements {
            let element = normal(element)?;
            if !keys.is_empty() {
                keys.push('>');
            }
            keys.push_str(path_key(&element));
        }
        Ok(Self { keys })
    }

    /// The keys of the elements, from the child of `body` down. None for `body`.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.split('>').filter(|key| !key.is_empty())
    }
}

/// Returns an element with a name in lower case, classes without digits, and no id.
fn normal(element: &str) -> Result<String, PathProblem> {
    if element.is_empty() {
        return Err(PathProblem::Empty);
    }
    let without_id = element.split('#').next().unwrap_or_default();
    let mut parts = without_id.split('.');
    let name = parts.next().unwrap_or_default();
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && !name.contains(['*', '[', ' '])
    };
    if !is_name(name) {
        return Err(PathProblem::Name(element.to_owned()));
    }
    let mut text = name.to_ascii_lowercase();
    for class in parts {
        let class: String = class.chars().filter(|c| !c.is_ascii_digit()).collect();
        if !class.is_empty() {
            text.push('.');
            text.push_str(&class);
        }
    }
    Ok(text)
}

impl fmt::Display for MarkedPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.keys.as_str() {
            "" => out.write_str(BODY),
            keys => out.write_str(keys),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_explain_and_of_a_style_sheet_have_one_normal_form() {
        let normal = |path: &str| MarkedPath::parse(path).unwrap().to_string();
        for (path, expected) in [
            ("div.a>p", "div.a>p"),
            ("div.a.b>p.c.d", "div.a>p.c"),
            (" body>div.a > p ", "div.a>p"),
            ("DIV.Aa>P", "div.Aa>p"),
            ("div.12.col-6>h2", "div.col->h2"),
            ("div.a=b", "div.a=b"),
            ("my-card.md:w-[10px]", "my-card.md:w-[px]"),
            ("div.story#top>p#lead", "div.story>p"),
            ("div#top", "div"),
            ("body#home>div#top", "div"),
            ("body", "body"),
            ("BODY.home > body.1>p", "p"),
            ("bodyguard>o:p", "bodyguard>o:p"),
        ] {
            assert_eq!(normal(path), expected, "{path}");
            assert_eq!(normal(&normal(path)), expected, "{path}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        for (path, word) in [
            ("", "empty"),
            ("div>>p", "empty"),
            ("div.a>", "empty"),
            ("body>", "empty"),
            ("#main>p", "`#main`"),
            (".story", "`.story`"),
            ("div>*", "`*`"),
            ("div p", "`div p`"),
            ("div.a\u{1b}[2J", "control"),
        ] {
            let problem = MarkedPath::parse(path).unwrap_err().to_string();
            assert!(problem.contains(word), "{path:?}: {problem}");
        }
    }
}

//! V-Wrapper: leaves that a learned classifier calls title or body.
//!
//! S. Zheng, R. Song, J.-R. Wen: "Template-Independent News Extraction Based on Visual
//! Consistency", AAAI 2007, pp. 1507-1511, as far as [Laber 1, 4] (see `nce`) describes it:
//! "visual and other features from a DOM tree" train a model "to classify each text passage
//! (leaf of a DOM tree) as a title, body or other content".
//!
//! The visual features need a browser that renders the page. There is none here, so this is the
//! classifier with features that the tree has: it says what such a method reaches without
//! rendering. Results of the original cannot be expected of it.
//!
//! The description leaves all else open. It is decided as follows:
//!
//! - A leaf is a text. Its numbers stand for what a reader sees: its place in the text of the
//!   page (for its height), headings and bold type (for its font), its length and that of the
//!   elements around it (for their areas), links, and marks of sentences. See `features.rs`.
//! - The classifier is AdaBoost (Freund, Schapire 1997) over decision stumps, one for body and
//!   one for title. A leaf is of the class with most votes, if they are more than half.
//! - The text is the leaves of both classes in the order of the page. The title is the first run
//!   of leaves of its class.
//! - Our model is of the development set of the Web Content Extraction Benchmark (WCXB,
//!   M. Foley 2026, CC-BY-4.0), by the command in the documentation of `ncleaner`. A leaf weighs
//!   its share of the words of its page.

mod features;
mod model;

use std::sync::LazyLock;

pub use model::LeafModel;

use crate::dom::{Dom, NodeId};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};
use features::leaves;
use model::{Example, boost, votes};

/// Keeps the leaves that a learned classifier calls title or body. See the [table](crate) of
/// methods.
#[derive(Clone, Copy, Debug)]
pub struct VWrapper;

static MODEL: LazyLock<LeafModel> = LazyLock::new(|| {
    LeafModel::parse(include_str!("../../models/v-wrapper.txt")).unwrap_or_default()
});

/// A class of leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Title,
    Body,
    Other,
}

impl Extractor for VWrapper {
    fn name(&self) -> &'static str {
        "v-wrapper"
    }

    fn summary(&self) -> &'static str {
        "leaves that a learned classifier without rendering calls title or body"
    }

    fn reference(&self) -> &'static str {
        "S. Zheng, R. Song, J.-R. Wen: Template-Independent News Extraction Based on Visual \
         Consistency. AAAI 2007, pp. 1507-1511"
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let classes = classes(dom, &MODEL);
        if classes.is_empty() {
            return Err(ExtractError::NoText);
        }
        let mut kept = vec![false; dom.len()];
        for (id, class) in &classes {
            kept[*id] = *class != Class::Other;
        }
        let title: Vec<NodeId> = (classes.iter())
            .skip_while(|(_, class)| *class != Class::Title)
            .take_while(|(_, class)| *class == Class::Title)
            .map(|(id, _)| *id)
            .collect();
        let nodes = kept.iter().filter(|kept| **kept).count();
        let title = lines_of(dom, |id| title.binary_search(&id).is_ok()).replace('\n', " ");
        Ok(Extraction {
            title: Some(title).filter(|title| !title.is_empty()),
            ..Extraction::new(lines_of(dom, |id| kept[id]), Some(nodes)).keeping(|id| kept[id], dom)
        })
    }
}

fn classes(dom: &Dom, model: &LeafModel) -> Vec<(NodeId, Class)> {
    (leaves(dom).iter())
        .map(|leaf| {
            let [title, body] =
                [&model.title, &model.body].map(|stumps| votes(stumps, &leaf.features));
            let class = match title.max(body) {
                ..=0 => Class::Other,
                most if most == body => Class::Body,
                _ => Class::Title,
            };
            (leaf.id, class)
        })
        .collect()
}

/// Leaves from which a [`LeafModel`] is made.
#[derive(Default)]
pub struct LeafExamples {
    body: Vec<Example>,
    title: Vec<Example>,
}

impl std::fmt::Debug for LeafExamples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LeafExamples({})", self.body.len())
    }
}

impl LeafExamples {
    /// Adds the leaves of a page. `is_content` and `is_title` say of each of its segments
    /// ([`segments`](crate::training::segments)) whether it is content, and the title.
    pub fn add(&mut self, page: &Page<'_>, is_content: &[bool], is_title: &[bool]) {
        let dom = page.dom();
        let lines = crate::text::line_numbers(dom);
        let leaves = leaves(dom);
        let all: usize = leaves.iter().map(|leaf| leaf.words).sum();
        for leaf in leaves.iter().filter(|leaf| leaf.words > 0) {
            let weight = leaf.words as f64 / all as f64;
            let of = |classes: &[bool]| classes.get(lines[leaf.id]).copied().unwrap_or(false);
            let example = |is_in_class| Example {
                features: leaf.features,
                is_in_class,
                weight,
            };
            self.title.push(example(of(is_title)));
            self.body.push(example(of(is_content) && !of(is_title)));
        }
    }

    /// Learns a model of so many stumps for each class.
    #[must_use]
    pub fn model(&self, stumps: usize) -> LeafModel {
        LeafModel {
            body: boost(&self.body, stumps),
            title: boost(&self.title, stumps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_the_crate_is_read() {
        let text = include_str!("../../models/v-wrapper.txt");
        assert!(text.starts_with("# "), "a comment on the origin");
        let model = LeafModel::parse(text).expect("a model");
        assert!(!model.body.is_empty() && !model.title.is_empty());
    }

    #[test]
    fn long_texts_are_body_and_menus_are_not() {
        let story = "Tea is a drink that is made by pouring hot water over leaves, and after water \
                     it is the drink that people drink most.";
        let menu: String = (0..12)
            .map(|n| format!("<li><a href=/{n}>Item {n}</a>"))
            .collect();
        let html = format!(
            "<ul>{menu}</ul><div>{}</div>",
            format!("<p>{story}").repeat(6)
        );
        let found = VWrapper.extract(&Page::new("", &html), &Site::default());
        let text = found.expect("there is text").text;
        // A classifier of single leaves may lose one: the last one has the place of a footer.
        assert!(text.lines().count() >= 5, "{text}");
        assert!(text.lines().all(|line| line == story), "{text}");
    }

    #[test]
    fn a_model_is_learned_from_pages() {
        let mut examples = LeafExamples::default();
        let html =
            "<ul><li><a href=/>Home</a></ul><h1>All of tea</h1><p>It is a drink, and a leaf.";
        let page = Page::new("", html);
        examples.add(&page, &[false, true, true], &[false, true, false]);
        let classes = classes(page.dom(), &examples.model(5));
        let classes: Vec<Class> = classes.into_iter().map(|(_, class)| class).collect();
        assert_eq!(classes, [Class::Other, Class::Title, Class::Body]);
    }
}

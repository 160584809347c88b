//! The extractors: functions from a page to its content.

use std::error::Error;

use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, Settings};
use serde::Serialize;
use url::Url;

/// The title and the content that an extractor returns.
#[derive(Serialize)]
pub(crate) struct Extraction {
    title: String,
    #[serde(flatten)]
    content: Content,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Content {
    Text(String),
    Html(String),
}

type Extracted = Result<Extraction, Box<dyn Error>>;

/// An extractor of a crate, with its settings.
pub(crate) struct Extractor {
    /// The name in `peers.toml`.
    pub(crate) name: &'static str,
    /// The name of its crate.
    pub(crate) package: &'static str,
    /// Maps the HTML and the URL of a page to its content.
    pub(crate) extract: fn(&str, &str) -> Extracted,
}

/// Every extractor of this program.
pub(crate) const EXTRACTORS: [Extractor; 6] = [
    Extractor {
        name: "dom-smoothie",
        package: "dom_smoothie",
        extract: dom_smoothie,
    },
    Extractor {
        name: "lol-html",
        package: "lol_html",
        extract: lol_html,
    },
    Extractor {
        name: "readability-rust",
        package: "readability",
        extract: readability,
    },
    Extractor {
        name: "trafilatura-rust",
        package: "trafilatura",
        extract: |html, url| trafilatura(html, url, true),
    },
    Extractor {
        name: "trafilatura-rust-fast",
        package: "trafilatura",
        extract: |html, url| trafilatura(html, url, false),
    },
    Extractor {
        name: "rs-trafilatura",
        package: "rs-trafilatura",
        extract: rs_trafilatura,
    },
];

fn dom_smoothie(html: &str, url: &str) -> Extracted {
    let config = dom_smoothie::Config {
        text_mode: dom_smoothie::TextMode::Formatted,
        ..Default::default()
    };
    let article = dom_smoothie::Readability::new(html, Some(url), Some(config))?.parse()?;
    Ok(Extraction {
        title: article.title,
        content: Content::Text(article.text_content.to_string()),
    })
}

/// Returns all text of a page without scripts and styles. This is not an extractor; it
/// measures the time that the fastest rewriter needs to read the text.
fn lol_html(html: &str, _: &str) -> Extracted {
    let (mut title, mut text) = (String::new(), String::new());
    let handler = lol_html::doc_text!(|chunk| {
        match chunk.text_type() {
            TextType::Data => text.push_str(chunk.as_str()),
            TextType::RCData => title.push_str(chunk.as_str()),
            _ => {}
        }
        if chunk.last_in_text_node() {
            text.push('\n');
        }
        Ok(())
    });
    let settings = Settings::new().append_document_content_handler(handler);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes())?;
    rewriter.end()?;
    Ok(Extraction {
        title,
        content: Content::Text(text),
    })
}

fn readability(html: &str, url: &str) -> Extracted {
    let product = readability::extractor::extract(&mut html.as_bytes(), &Url::parse(url)?)?;
    // Its text has no separator between two paragraphs.
    Ok(Extraction {
        title: product.title,
        content: Content::Html(product.content),
    })
}

fn trafilatura(html: &str, url: &str, fallback: bool) -> Extracted {
    let options = trafilatura::Options::default()
        .with_url(Url::parse(url)?)
        .with_exclude_comments(true)
        .with_fallback(fallback);
    let result = trafilatura::extract(html, &options)?;
    Ok(Extraction {
        title: result.metadata.title,
        content: Content::Text(result.content_text),
    })
}

fn rs_trafilatura(html: &str, url: &str) -> Extracted {
    let options = rs_trafilatura::Options {
        include_comments: false,
        url: Some(url.to_owned()),
        ..Default::default()
    };
    let result = rs_trafilatura::extract_with_options(html, &options)?;
    Ok(Extraction {
        title: result.metadata.title.unwrap_or_default(),
        content: Content::Text(result.content_text),
    })
}

//! Blocks from lol_html, with handlers for elements, end tags, text and comments.
//!
//! Its public interface reports no end tag without a matching start tag, so stray end tags do
//! not end a block here. It applies no limit of a tag, and does not report truncation.

use std::cell::RefCell;
use std::rc::Rc;

use html_blocks::reference::{TagToken, TokenBlocks};
use html_blocks::{BlockOptions, TextBlock};
use lol_html::html_content::{Element, EndTag};
use lol_html::{DocumentContentHandlers, HtmlRewriter, LocalHandlerTypes, Settings, element};

/// The blocks of a page.
pub(crate) fn blocks(page: &str, options: &BlockOptions) -> Vec<TextBlock> {
    let blocks = Rc::new(RefCell::new(TokenBlocks::new(options)));
    let elements = {
        let blocks = Rc::clone(&blocks);
        element!("*", move |element: &mut Element<
            '_,
            '_,
            LocalHandlerTypes,
        >| {
            let name = element.tag_name();
            let class = element.get_attribute("class").unwrap_or_default();
            blocks.borrow_mut().start_tag(TagToken {
                name: &name,
                class: &class,
                id: &element.get_attribute("id").unwrap_or_default(),
                has_href: element.has_attribute("href"),
                is_named: element.has_attribute("name") || element.has_attribute("id"),
                self_closing: element.is_self_closing(),
                attributes: element.attributes().len(),
            });
            if let Some(handlers) = element.end_tag_handlers() {
                let blocks = Rc::clone(&blocks);
                handlers.push(Box::new(move |_: &mut EndTag<'_>| {
                    blocks.borrow_mut().end_tag(&name);
                    Ok(())
                }));
            }
            Ok(())
        })
    };
    let (in_text, in_comments) = (Rc::clone(&blocks), Rc::clone(&blocks));
    let document = DocumentContentHandlers::default()
        .text(move |chunk: &mut lol_html::html_content::TextChunk<'_>| {
            let mut blocks = in_text.borrow_mut();
            if chunk.text_type().allows_html_entities() {
                blocks.source_text(chunk.as_str());
            } else {
                blocks.text(chunk.as_str());
            }
            Ok(())
        })
        .comments(move |_: &mut lol_html::html_content::Comment<'_>| {
            in_comments.borrow_mut().comment();
            Ok(())
        });
    let settings = Settings::new()
        .append_element_content_handler(elements)
        .append_document_content_handler(document);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter
        .write(page.as_bytes())
        .expect("the page can be rewritten");
    rewriter.end().expect("the page can be rewritten");
    let blocks = Rc::try_unwrap(blocks)
        .ok()
        .expect("the handlers are dropped");
    blocks.into_inner().finish()
}

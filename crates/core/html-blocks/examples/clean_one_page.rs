//! # Text blocks of one page
//!
//! Reads an HTML file, or standard input, and prints its text blocks:
//!
//! ```text
//! cargo run -p urltree-html-blocks --example clean_one_page -- page.html
//! ```
//!
//! A line is one block: the share of its characters inside links, its DOM path, and its text.
//! Blocks inside boilerplate elements are marked with `-`.

use std::error::Error;
use std::io::{Read, Write};

// ---
// Import the options and the one function that does the work.
use html_blocks::{BlockOptions, page};

/// Prints the blocks of a page.
///
/// # Errors
/// Returns an error if the bytes are not a page, or if `out` cannot be written.
pub fn run(html: &[u8], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // # Options
    //
    // The defaults split blocks as browsers lay out lines. `BlockOptions` is non-exhaustive, so
    // set fields on the default value.
    let mut options = BlockOptions::default();
    options.limits.blocks = 10_000;

    // # Parsing
    //
    // The second argument is the charset of the Content-Type header. It is not known for a file,
    // so the charset comes from the page or is detected.
    let page = page(html, None, &options)?;

    // # Results
    //
    // The title is not a block.
    writeln!(out, "title: {}", page.title.as_deref().unwrap_or("(none)"))?;
    writeln!(
        out,
        "charset: {} ({})",
        page.charset,
        page.charset_source.as_str()
    )?;

    // Warnings are irregularities that did not keep the page from being read.
    for warning in &page.warnings {
        writeln!(out, "warning: {warning}")?;
    }

    // A block that consists of links, or is inside `nav` or `footer`, is rarely content.
    for block in &page.blocks {
        let chars = block.text.chars().count();
        let links = 100 * block.link_chars as usize / chars;
        let mark = if block.chrome { '-' } else { ' ' };
        writeln!(
            out,
            "{mark} {links:>3} % {}: {}",
            block.dom_path, block.text
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let html = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => {
            let mut html = Vec::new();
            std::io::stdin().read_to_end(&mut html)?;
            html
        }
    };
    run(&html, &mut std::io::stdout().lock())
}
